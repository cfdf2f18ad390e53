// What the gateway costs between a client and its model service, each a process of its own on loopback: the time that it adds to
// the first byte of a streamed answer, how much it passes through in a second of one core, and its memory. Beside it, in the
// same run, the same requests straight to the service and through a bare pipe in Node. Prints ratios; asserts nothing.
//
//   npm run bench:gateway
//   npm run bench:gateway -- --only throughput     or: latency, memory
//   npm run bench:gateway -- --every 5             milliseconds between the events of a stream; default 10
//   npm run bench:gateway -- --profile FOLDER      a CPU profile of the gateway
import { fork, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGatewayControl } from '../dist/gateway/control.js';

const { values: flags } = parseArgs({ options: { only: { type: 'string', default: '' }, every: { type: 'string', default: '10' }, profile: { type: 'string' } } });
const EVERY_MS = Number(flags.every);
const TOKEN = 'token-of-the-gateway-bench';
const KEY = 'key-of-the-gateway-bench';
const STREAMS = 50;
const EVENTS = 40;
const ROUNDS = 5;
const BODY_BYTES = 200_000;
const LARGE_BYTES = 256 * 1024 * 1024;
const REQUESTS = 20_000;
const OPEN_STREAMS = 200;
// The unit of /proc/pid/stat is a hundredth of a second, whatever the machine.
const TICKS = 100;

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const quantile = (list, part) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];
const median = (list) => quantile(list, 0.5);
const started = [];
const begin = (file) => {
  const child = fork(path(file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  started.push(child);
  return child;
};

const upstream = begin('./gateway-upstream.mjs');
const clients = begin('./gateway-clients.mjs');
const [{ service, pipe }] = await once(upstream, 'message');
const gateway = spawn(process.execPath, [...(flags.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', flags.profile]), path('../dist/gateway/program.bundle.mjs'), '--host', '127.0.0.1', '--port', '0'], { stdio: ['pipe', 'pipe', 'inherit'] });
started.push(gateway);
const control = createGatewayControl(gateway.stdin, gateway.stdout);
try {
  const { port } = await control.ready;
  const through = `http://127.0.0.1:${port}`;
  const at = { baseUrl: service, headers: { 'x-api-key': KEY } };
  await control.open({ id: 'bench', token: TOKEN, mode: { kind: 'forward', upstreams: { anthropic: at, openai: at } } });
  if ('latency'.includes(flags.only)) await latency(through);
  if ('throughput'.includes(flags.only)) await throughput(through);
  if ('memory'.includes(flags.only)) await memory(through);
} finally {
  await control[Symbol.asyncDispose]();
  for (const child of started) child.kill();
}

async function latency(through) {
  const how = { kind: 'streams', concurrency: STREAMS, bodyBytes: BODY_BYTES, lengthMs: EVENTS * EVERY_MS };
  const target = `/v1/messages?events=${EVENTS}&every=${EVERY_MS}`;
  const times = { direct: [], pipe: [], gateway: [] };
  for (let round = 0; round < ROUNDS + 1; round += 1) {
    for (const [name, origin] of [['direct', service], ['pipe', pipe], ['gateway', through]]) {
      const told = await work({ ...how, count: 4 * STREAMS, url: origin + target });
      // The first round is for what is compiled on the way.
      if (round > 0) times[name].push(...told);
    }
  }
  const told = (list) => `median ${median(list).toFixed(1)} ms, p99 ${quantile(list, 0.99).toFixed(1)} ms`;
  const added = (part) => (quantile(times.gateway, part) - quantile(times.direct, part)).toFixed(1);
  console.log(`first byte of ${times.gateway.length} streamed answers, ${STREAMS} at once, an event every ${EVERY_MS} ms, bodies of ${BODY_BYTES / 1000} KB: gateway ${told(times.gateway)}`);
  console.log(`  straight ${told(times.direct)}   added: median ${added(0.5)} ms (bar 5), p99 ${added(0.99)} ms (bar 20)`);
  console.log(`  bare pipe ${told(times.pipe)}   ratio ${(median(times.gateway) / median(times.pipe)).toFixed(2)}`);
}

async function throughput(through) {
  const json = '/v1/messages?blast=json';
  const measured = [
    ['up, one body', { kind: 'push' }, '/v1/messages?sink=1'],
    ['down, one JSON body', { kind: 'pull' }, json],
    ['down, events of the Messages API', { kind: 'pull' }, '/v1/messages?blast=sse'],
    ['down, events of the Chat Completions API', { kind: 'pull' }, '/v1/chat/completions?blast=sse'],
  ];
  for (const [name, how, target] of measured) {
    const rates = { gateway: [], core: [], straight: [], pipe: [] };
    for (let round = 0; round < ROUNDS + 1; round += 1) {
      const one = async (origin) => {
        const { ms } = await work({ ...how, size: LARGE_BYTES, url: `${origin}${target}&size=${LARGE_BYTES}` });
        return LARGE_BYTES / 1e3 / ms;
      };
      const straight = await one(service);
      const piped = await one(pipe);
      const before = await cpuSeconds();
      const ours = await one(through);
      const core = LARGE_BYTES / 1e6 / (await cpuSeconds() - before);
      if (round === 0) continue;
      for (const [kind, rate] of Object.entries({ gateway: ours, core, straight, pipe: piped })) rates[kind].push(rate);
    }
    const [ours, core, straight, piped] = [rates.gateway, rates.core, rates.straight, rates.pipe].map(median);
    console.log(`${name}, ${LARGE_BYTES / 1024 ** 2} MiB, median of ${ROUNDS}: gateway ${ours.toFixed(0)} MB/s, and ${core.toFixed(0)} MB in a second of its core (bar 200)`);
    console.log(`  straight ${straight.toFixed(0)} MB/s   ratio ${(ours / straight).toFixed(2)}; bare pipe ${piped.toFixed(0)} MB/s   ratio ${(ours / piped).toFixed(2)}`);
  }
}

async function memory(through) {
  const resident = [];
  const url = `${through}/v1/messages?events=2&every=1`;
  await work({ kind: 'requests', concurrency: 20, count: 2_000, bodyBytes: 20_000, url });
  for (let part = 0; part < 4; part += 1) {
    await work({ kind: 'requests', concurrency: 20, count: REQUESTS / 4, bodyBytes: 20_000, url });
    resident.push(await residentMb());
  }
  console.log(`resident after ${[1, 2, 3, 4].map((part) => (part * REQUESTS) / 4).join(', ')} streamed requests: ${resident.map((mb) => mb.toFixed(0)).join(', ')} MB   growth from the first to the last ${(resident[3] - resident[0]).toFixed(0)} MB`);

  const before = await residentMb();
  const seconds = 30;
  const long = work({ kind: 'streams', concurrency: OPEN_STREAMS, count: OPEN_STREAMS, bodyBytes: BODY_BYTES, lengthMs: 1_000, url: `${through}/v1/messages?events=${seconds * 50}&every=20` });
  const open = [];
  for (let part = 0; part < 3; part += 1) {
    await new Promise((resolve) => { setTimeout(resolve, (seconds / 4) * 1_000); });
    open.push(await residentMb());
  }
  await long;
  console.log(`resident with ${OPEN_STREAMS} streams open for ${[1, 2, 3].map((part) => ((seconds / 4) * part).toFixed(0)).join(', ')} s: ${open.map((mb) => mb.toFixed(0)).join(', ')} MB, ${before.toFixed(0)} MB before   at most ${((Math.max(...open) - before) / OPEN_STREAMS * 1_000).toFixed(0)} KB a stream`);
}

async function work(what) {
  clients.send({ token: TOKEN, ...what });
  const [answer] = await once(clients, 'message');
  return answer;
}

async function cpuSeconds() {
  const fields = (await readFile(`/proc/${gateway.pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function residentMb() {
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;
}
