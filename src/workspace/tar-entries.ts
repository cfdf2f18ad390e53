import type { Readable } from 'node:stream';
import { extract, type Header } from 'tar-stream';

/** One entry of a tar stream; iterate it to read its bytes, or `resume` it. */
export interface TarEntry extends AsyncIterable<Uint8Array> {
  readonly header: Header & { readonly pax?: Readonly<Record<string, string>> | null };
  resume(): unknown;
}

/** The entries of a tar stream. Ask {@link nameBytesOf} for their names. */
export function tarEntriesOf(archive: Readable): AsyncIterable<TarEntry> {
  // latin1 carries any byte through the reader unharmed. The option is missing in the types of tar-stream 3.
  const options: object = { filenameEncoding: 'latin1' };
  const entries = extract(options);
  // `pipe` passes no error on: whoever reads would wait for ever.
  archive.on('error', (error) => { entries.destroy(error); });
  return archive.pipe(entries) as unknown as AsyncIterable<TarEntry>;
}

/** The bytes of an entry's name, or of its link's text. A pax record is always UTF-8. */
export function nameBytesOf(entry: TarEntry, field: 'name' | 'linkname' = 'name'): Buffer {
  const pax = entry.header.pax?.[field === 'name' ? 'path' : 'linkpath'];
  return pax === undefined ? Buffer.from(entry.header[field] ?? '', 'latin1') : Buffer.from(pax, 'utf8');
}
