// A process of its own, started by parse.mjs: pushes a long stdout through one parser, in pieces, and tells what memory it
// took. The stdout is one block of recorded lines over and over, with new ids each time, so that nothing but the parser grows.
//
//   node --expose-gc bench/memory.mjs claude-code|codex <megabytes>
import { createClaudeCodeParser } from '../dist/agents/claude-code/parse.js';
import { createCodexExecParser } from '../dist/agents/codex/parse.js';
import { longRun, recordedRuns } from './recorded-runs.mjs';

const MEGABYTE = 1_000_000;
const PIECE = 64 * 1024;
const ID = /"(toolu_fake|msg_fake|req_fake|item)_(\d+)"/g;
const [cli, megabytes] = process.argv.slice(2);
const block = blockOf(recordedRuns(cli).filter(({ name }) => !name.startsWith('app-')));
const places = placesOfIds(block);

const heapUsed = () => { globalThis.gc(); globalThis.gc(); return process.memoryUsage().heapUsed; };
const before = { heap: heapUsed(), rss: process.memoryUsage.rss() };
let parser = (cli === 'codex' ? createCodexExecParser : createClaudeCodeParser)({ prompt: 'known' });
let pushed = 0;
let peak = 0;
for (let round = 0; pushed < Number(megabytes) * MEGABYTE; round += 1) {
  const mark = String(round).padStart(6, '0');
  for (const place of places) block.write(mark, place, 'latin1');
  for (let start = 0; start < block.length; start += PIECE) {
    parser.push(block.subarray(start, start + PIECE));
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  pushed += block.length;
}
const { events } = parser;
const withParser = heapUsed();
parser = undefined;
const kept = heapUsed() - before.heap;
process.send({ pushed, events: events.length, kept, held: withParser - before.heap - kept, beyond: peak - before.rss - kept });

/** Two megabytes between the opening and the closing lines, with ids of one length. */
function blockOf(runs) {
  const { stdout } = longRun(runs.map((run) => ({ ...run, files: [] })), 2 * MEGABYTE);
  const lines = stdout.toString('utf8').split('\n').filter((line) => line !== '' && !/^\{"type":"(?:thread\.started|turn\.|result"|system","subtype":"init")/.test(line));
  return Buffer.from(lines.map((line) => `${line.replace(ID, (_id, kind, number) => `"${kind}_000000${number.padStart(8, '0')}"`)}\n`).join(''));
}

function placesOfIds(bytes) {
  return [...bytes.toString('latin1').matchAll(/"(?:toolu_fake|msg_fake|req_fake|item)_(?=\d{14}")/g)].map((match) => match.index + match[0].length);
}
