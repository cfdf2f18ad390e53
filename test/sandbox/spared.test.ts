import { expect, test } from 'vitest';
import { unspared } from '../../src/sandbox/spared.js';

const run = (pid: string, parent: string): { pid: string; parent: string; command: string } => ({ pid, parent, command: `c${pid}` });

test('spares what descends from a spared process, and nothing else', () => {
  const processes = [run('10', '1'), run('11', '10'), run('12', '11'), run('20', '1'), run('21', '20'), run('30', '31'), run('31', '30')];
  expect(unspared(processes, { pids: new Set(['10', '21']), innerPids: [] }).map(({ pid }) => pid)).toEqual(['20', '30', '31']);
  expect(unspared(processes, { pids: new Set(), innerPids: [] })).toEqual(processes);
});
