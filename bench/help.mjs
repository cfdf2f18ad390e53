// How long `niceeval --help` takes, against node that does nothing: the medians of alternating starts.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const STARTS = 15;
const MOST = 2;
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

function timed(args) {
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
  return performance.now() - begun;
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

const bare = [];
const help = [];
for (let start = 0; start < STARTS; start += 1) {
  bare.push(timed(['-e', '0']));
  help.push(timed([main, '--help']));
}
const [bareMs, helpMs] = [median(bare), median(help)];
const ratio = helpMs / bareMs;
console.log(`node -e 0: ${bareMs.toFixed(1)} ms; niceeval --help: ${helpMs.toFixed(1)} ms; ${ratio.toFixed(2)} times (at most ${MOST})`);
if (ratio > MOST) process.exitCode = 1;
