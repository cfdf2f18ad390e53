import { relative, resolve, sep } from 'node:path';
import { realpath, stat } from 'node:fs/promises';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { fileSink, type LineSink } from '../scenario/result-lines.js';
import { clear, openAnew, openGrowing, outputPlaceOf, type GrowingFile, type OutputPlace } from '../scenario/whole-file.js';

/** Writes to standard output; `done` is called when it is taken. */
export type Write = (text: string, done?: () => void) => unknown;

/** Where results are to go, by options; `-` is standard output. */
export interface PlaceFlags {
  readonly output: string;
  readonly summary: string;
  readonly report?: string;
}

/** Where results go. */
export interface Places {
  /** Absent: standard output. */
  readonly output?: OutputPlace;
  readonly summary: OutputPlace;
  readonly report?: OutputPlace;
  readonly all: readonly OutputPlace[];
}

/** Where results go. @throws AuthoringError for places that cannot be written or are one another, or the scenarios themselves. */
export async function placesOf({ output, summary, report }: PlaceFlags, scenarios: string): Promise<Places> {
  const taken = new Map<string, string>([[await realpath(scenarios), '--scenarios']]);
  const place = async (option: string, path: string): Promise<OutputPlace> => {
    const found = await outputPlaceOf(resolve(path)).catch((error: unknown) => {
      throw new AuthoringError([`${option} ${path} cannot be written: ${messageOf(error)}.`]);
    });
    const other = taken.get(found.path);
    if (other !== undefined && found.kind === 'file') throw new AuthoringError([`${option} and ${other} are the same file: ${path}. Give each a file of its own.`]);
    taken.set(found.path, option);
    return found;
  };
  const places = {
    ...(output === '-' ? {} : { output: await place('--output', output) }),
    summary: await place('--summary', summary),
    ...(report === undefined ? {} : { report: await place('--report', report) }),
  };
  return { ...places, all: Object.values(places) };
}

/** The folder that agents start from, without what this program itself writes there. */
export async function workspaceOf(path: string, places: readonly OutputPlace[]): Promise<{ readonly folder: string; readonly ignore: readonly string[] }> {
  const folder = await realpath(resolve(path)).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory()) throw new AuthoringError([`--workspace ${path} is not a folder.`]);
  const own = places.flatMap((place) => (place.kind === 'file' && place.path.startsWith(`${folder}${sep}`) ? [relative(folder, place.path)] : []));
  return { folder, ignore: ['.niceeval', '.niceeval/**', ...own.flatMap((name) => [escaped(name), `${escaped(name)}.*.part`])] };
}

/** A path as a glob that fits it alone. */
function escaped(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');
}

/** Where lines go while scenarios run. Disposed of, a report that is not whole is gone. */
export interface Lines extends AsyncDisposable {
  readonly sink: LineSink;
  readonly report: GrowingFile | undefined;
}

/** What an earlier run left is gone from now on. */
export async function openLines({ output, summary, report }: Places, write: Write): Promise<Lines> {
  for (const place of [summary, ...report === undefined ? [] : [report]]) await clear(place);
  const results: LineSink = output === undefined
    ? { write: (line) => new Promise((done) => { write(`${line}\n`, done); }), close: () => Promise.resolve() }
    : fileSink(await openAnew(output));
  const growing = report === undefined ? undefined : await openGrowing(report);
  await growing?.append('{"results":[');
  let separator = '\n';
  return {
    report: growing,
    sink: {
      async write(line) {
        await results.write(line);
        await growing?.append(`${separator}${line}`);
        separator = ',\n';
      },
      close: () => results.close(),
    },
    async [Symbol.asyncDispose]() {
      await growing?.[Symbol.asyncDispose]();
      await results.close();
    },
  };
}
