import type { IncomingMessage } from 'node:http';
import { UpstreamError } from './errors.js';

/**
 * Hands each piece of an answer on as it comes, and takes no more while one is still being taken. Settles at the end of the answer.
 *
 * @param host Whose answer it is.
 * @param take Takes a piece. `false`: the rest is not wanted.
 * @throws UpstreamError when the answer breaks off; what `take` throws.
 */
export function passPieces(answer: IncomingMessage, host: string, take: (piece: Buffer) => void | boolean | Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const brokeOff = (error: NodeJS.ErrnoException): void => reject(new UpstreamError(host, `its answer broke off (${error.code ?? error.message})`, { cause: error }));
    // Listeners and not an iterator: a streamed answer has thousands of pieces, each of which would cost some promises.
    answer.on('data', (piece: Buffer) => {
      try {
        const taking = take(piece);
        if (taking === undefined || taking === true) return;
        answer.pause();
        if (taking === false) resolve();
        else taking.then(() => answer.resume(), reject);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    answer.once('end', resolve);
    answer.once('error', brokeOff);
    answer.once('close', () => brokeOff(new Error('it was closed')));
  });
}
