import type { Readable } from 'node:stream';
import { UpstreamError } from './errors.js';

/**
 * Hands each piece of an answer on as it comes, and takes no more while one is still being taken. Settles at the end of the answer.
 *
 * @param host Whose answer it is.
 * @param take Takes a piece. `false`: the rest is not wanted.
 * @throws UpstreamError when the answer breaks off; what `take` throws.
 */
export function passPieces(answer: Readable, host: string, take: (piece: Buffer) => void | boolean | Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const brokeOff = (error: NodeJS.ErrnoException): void => reject(new UpstreamError(host, `its answer broke off (${error.code ?? error.message})`, { cause: error }));
    /** The piece that is still being taken: the end of an answer is told while its last one is. */
    let last: Promise<void> | undefined;
    // Listeners and not an iterator: a streamed answer has thousands of pieces, each of which would cost some promises.
    answer.on('data', (piece: Buffer) => {
      try {
        const taking = take(piece);
        if (taking === undefined || taking === true) return;
        answer.pause();
        if (taking === false) resolve();
        else {
          last = taking;
          taking.then(() => answer.resume(), reject);
        }
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    answer.once('end', () => { (last ?? Promise.resolve()).then(resolve, (error: Error) => reject(error)); });
    answer.once('error', brokeOff);
    answer.once('close', () => { if (!answer.readableEnded) brokeOff(new Error('it was closed')); });
  });
}
