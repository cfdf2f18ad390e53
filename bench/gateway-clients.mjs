// The clients of bench/gateway.mjs, in a process of their own: they do what the bench says, one thing after the other.
import { Agent, request as httpRequest } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const WORK = { streams, requests, pull, push };

process.on('message', async ({ kind, ...how }) => process.send(await WORK[kind](how)));
process.on('disconnect', () => process.exit(0));

function ask({ url, token, body, write }) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const headers = { 'x-api-key': token, 'content-type': 'application/json', ...(body && { 'content-length': body.length }) };
    const request = httpRequest(url, { method: 'POST', headers, agent }, (response) => {
      let size = 0;
      let firstByteMs;
      response.on('data', (piece) => {
        firstByteMs ??= performance.now() - begun;
        size += piece.length;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve({ firstByteMs, size, ms: performance.now() - begun }) : reject(new Error(`status ${response.statusCode}`))));
      response.on('error', reject);
    });
    request.on('error', reject);
    if (write === undefined) request.end(body);
    else write(request);
  });
}

/** So many streams at once, begun one after the other and begun again when they end. Milliseconds to the first byte of each. */
async function streams({ concurrency, count, bodyBytes, lengthMs, ...how }) {
  const body = Buffer.alloc(bodyBytes, 'x');
  const times = [];
  let left = count;
  await Promise.all(Array.from({ length: concurrency }, async (_item, index) => {
    await new Promise((resolve) => { setTimeout(resolve, (lengthMs / concurrency) * index); });
    while (left > 0) {
      left -= 1;
      times.push((await ask({ ...how, body })).firstByteMs);
    }
  }));
  return times;
}

async function requests({ concurrency, count, bodyBytes, ...how }) {
  const body = Buffer.alloc(bodyBytes, 'x');
  const begun = performance.now();
  let left = count;
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (; left > 0; left -= 1) await ask({ ...how, body });
  }));
  return { ms: performance.now() - begun };
}

function pull(how) {
  return ask({ ...how, body: Buffer.from('{}') });
}

function push({ size, ...how }) {
  const piece = Buffer.alloc(256 * 1024, 'x');
  return ask({ ...how, write: async (request) => {
    for (let sent = 0; sent < size; sent += piece.length) if (!request.write(piece)) await new Promise((resolve) => { request.once('drain', resolve); });
    request.end();
  } });
}
