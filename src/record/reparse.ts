import type { Readable } from 'node:stream';
import { parseTranscript, type TranscriptFile } from '../agents/parse-transcript.js';
import type { Turn } from '../evidence/turn.js';
import type { TurnRecord } from '../run/result.js';
import { withWireCounts } from '../run/wire-differences.js';
import { readAttempt } from './read-attempt.js';

/** Turns told anew from raw output, or why they were left as they were. */
export type Reparsed =
  | { readonly state: 'reparsed'; readonly turns: readonly TurnRecord[] }
  | { readonly state: 'left'; readonly reason: string };

/**
 * Reads the raw output of an Attempt with today's parser. A session is told anew only where the parser finds as many turns in it as were
 * sent; the text of each send, its times and its failure stay as they were recorded.
 */
export async function reparsed(folder: string, turns: readonly TurnRecord[]): Promise<Reparsed> {
  const files = await rawOf(folder);
  if (files.length === 0) return { state: 'left', reason: 'it has no raw output' };
  const told: TurnRecord[] = [];
  for (const session of new Set(turns.map((turn) => turn.session))) {
    const own = turns.filter((turn) => turn.session === session);
    if (own.some(({ failure, status }) => failure !== undefined || status === 'waiting')) return { state: 'left', reason: `session ${session} did not end by itself` };
    const mine = files.filter(({ path }) => path.startsWith('files/') || (path.startsWith(`session${session}-`) && path.endsWith('-stdout.jsonl')));
    // How its processes ended is not in the raw output; the turns that were told then knew it.
    const outcome = parseTranscript(mine, { end: { exitCode: own.every(({ status }) => status === 'completed') ? 0 : null } });
    if (outcome.kind === 'refused') return { state: 'left', reason: outcome.reason };
    const parsed = outcome.transcript.turns;
    if (parsed.length !== own.length) return { state: 'left', reason: `${own.length} turns were sent in session ${session} and the parser finds ${parsed.length}` };
    told.push(...own.map((turn, at) => withTurn(turn, parsed[at])));
  }
  return { state: 'reparsed', turns: turns.map((turn) => told.find(({ session, turn: number }) => session === turn.session && number === turn.turn) ?? turn) };
}

function withTurn(record: TurnRecord, parsed: Turn | undefined): TurnRecord {
  if (parsed === undefined) return record;
  // Requests were counted by the gateway, which no raw output tells.
  const requests = record.usage?.requests;
  const turn = withWireCounts(parsed, requests === undefined ? undefined : { requests, contextTokens: undefined });
  const { usage: _usage, data: _data, ...rest } = record;
  return {
    ...rest,
    status: turn.status,
    events: [...record.events.slice(0, 1), ...turn.events],
    coverage: { ...record.coverage, ...turn.evidenceCoverage },
    ...(turn.usage === undefined ? {} : { usage: turn.usage }),
    ...(turn.data === undefined ? {} : { data: turn.data }),
  };
}

async function rawOf(folder: string): Promise<readonly TranscriptFile[]> {
  const files: TranscriptFile[] = [];
  for (const file of await (await readAttempt(folder)).raw()) {
    if (!/\.jsonl?$/.test(file.name)) continue;
    const opened = await file.open();
    if (opened.state === 'read') files.push({ path: file.name, bytes: await bytesOf(opened.value) });
  }
  return files;
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
