// Runs the whole suite and closes with the counts on a line of their own. What asks the engine for sandboxes itself runs beside
// what drives the command: each of the two one file after the other, so that a test's own time limits mean something.
import { readFile, rm } from 'node:fs/promises';
import { execa } from 'execa';

const suites = [['unit'], ['engine', 'cli']];
const totals = { passed: 0, failed: 0, skipped: 0, all: 0, broken: false };
for (const together of suites) await Promise.all(together.map(run));
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.broken || totals.all === 0 ? 1 : 0;

async function run(project) {
  const report = `node_modules/.cache/niceeval-tests-${project}.json`;
  await rm(report, { force: true });
  const { exitCode } = await execa('npx', ['vitest', 'run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], { stdio: 'inherit', reject: false });
  const counts = await readFile(report, 'utf8').then((text) => JSON.parse(text), () => undefined);
  totals.broken ||= exitCode !== 0 || counts === undefined;
  totals.passed += counts?.numPassedTests ?? 0;
  totals.failed += counts?.numFailedTests ?? 0;
  totals.skipped += counts?.numPendingTests ?? 0;
  totals.all += counts?.numTotalTests ?? 0;
}
