import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';

/** One entry of an archive; names are bytes, told as latin1. */
export interface Listed {
  readonly name: string;
  readonly type: string;
  /** Permission bits. */
  readonly mode: number;
  readonly link: string;
  readonly text: string;
}

/** Everything in an archive, without the slash that ends the name of a folder. */
export async function listingOf(archive: Readable): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  // The option is missing in the types of tar-stream 3.
  const options: object = { filenameEncoding: 'latin1' };
  for await (const entry of archive.pipe(extract(options))) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    const { name, type, mode, linkname, pax } = entry.header as typeof entry.header & { readonly pax?: Readonly<Record<string, string>> | null };
    // A pax record is always UTF-8.
    const bytes = pax?.['path'] === undefined ? name : Buffer.from(pax['path']).toString('latin1');
    found.push({ name: bytes.replace(/\/$/, ''), type: type ?? 'file', mode: (mode ?? 0) & 0o777, link: linkname ?? '', text: Buffer.concat(chunks).toString('latin1') });
  }
  return found;
}
