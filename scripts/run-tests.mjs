// Runs the whole suite and closes with the counts on a line of their own.
import { readFile, rm } from 'node:fs/promises';
import { execa } from 'execa';

const report = 'node_modules/.cache/niceeval-tests.json';
await rm(report, { force: true });
const { exitCode } = await execa('npx', ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], { stdio: 'inherit', reject: false });
const counts = await readFile(report, 'utf8').then((text) => JSON.parse(text), () => undefined);
if (counts !== undefined) {
  console.log(`${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${counts.numPendingTests} skipped`);
}
process.exitCode = exitCode || (counts?.numTotalTests > 0 ? 0 : 1);
