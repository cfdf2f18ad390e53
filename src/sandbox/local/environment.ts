import { MARKER_VARIABLE, markerValue } from './processes.js';

/** Folders that every system has, for a harness that was started without a search path. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The environment of everything that runs in a place: where to find programs, where to write, the language, the marker. Nothing else
 * of the harness's own environment, which may hold keys.
 */
export function environmentOf(marker: string, folders: { readonly home: string; readonly temporary: string }): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] || USUAL_PATH,
    HOME: folders.home,
    TMPDIR: folders.temporary,
    LANG: process.env['LANG'] || 'C.UTF-8',
    [MARKER_VARIABLE]: markerValue(marker),
  };
}
