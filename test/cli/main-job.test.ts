import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema, runFileSchema } from '../../src/record/schema.js';
import { CLI, leftovers } from '../support/project.js';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

describe('the examples, with the real Claude Code and Codex CLIs', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'niceeval-examples-'));
    await cp(EXAMPLES, root, { recursive: true, filter: (path) => !path.includes('.niceeval') });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const niceeval = (args: readonly string[]) => execa('node', [CLI, ...args], { cwd: root, reject: false, stdin: 'ignore', timeout: 200_000, env: { NO_COLOR: '1' } });

  it('pass, are recorded whole and leave nothing behind', async () => {
    const { exitCode, stdout, stderr } = await niceeval(['run', '--sandbox', 'docker', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n').map((line) => JSON.parse(line) as { type: string; verdict?: string; evalId?: string; experimentId?: string });
    expect(lines.filter((line) => line.type === 'attempt.finished').map((line) => [line.evalId, line.experimentId, line.verdict].join(' ')).sort()).toEqual(
      ['every-claim', 'fix-sum', 'points'].flatMap((name) => [`${name} claude-code passed`, `${name} codex passed`]),
    );
    expect(lines.at(-1)).toMatchObject({ type: 'receipt', counts: { total: 6, passed: 6, failed: 0, errored: 0, skipped: 0 } });
    expect(await leftovers()).toEqual([]);

    const runs = join(root, '.niceeval/runs');
    const run = join(runs, (await readdir(runs))[0] ?? '');
    const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(join(run, path), 'utf8')) as unknown;
    expect(runFileSchema.parse(await read('run.json')).attempts).toHaveLength(6);
    for (const id of (await readdir(join(run, 'attempts'))).filter((name) => name.startsWith('fix-sum'))) {
      const attempt = attemptFileSchema.parse(await read(`attempts/${id}/attempt.json`));
      // What the script charged, per turn: four requests, then one.
      expect(attempt.turns.map((turn) => [turn.usage?.inputTokens, turn.usage?.outputTokens])).toEqual([[1560, 215], [40, 20]]);
      expect(attempt.gateway?.requests).toBe(5);
      const { claims } = claimsFileSchema.parse(await read(`attempts/${id}/claims.json`));
      expect(claims.map((claim) => claim.state)).toEqual(Array.from({ length: 10 }, () => 'matched'));
      const { changes } = changesFileSchema.parse(await read(`attempts/${id}/changes.json`));
      if (changes.state !== 'available') throw new Error(changes.reason);
      expect(changes.net).toMatchObject([{ path: 'sum.mjs', status: 'modified' }]);
      expect(changes.windows.map((window) => [window.label, window.changes.length, window.flags])).toEqual([['turn1', 1, []], ['turn2', 0, []]]);
      const patch = await readFile(join(run, 'attempts', id, 'changes.patch'), 'utf8');
      expect(patch.split('\n').filter((line) => /^[+-]/.test(line))).toEqual(['--- a/sum.mjs', '+++ b/sum.mjs', '-export const sum = (a, b) => a - b;', '+export const sum = (a, b) => a + b;']);
      const events = (await readFile(join(run, 'attempts', id, 'events.jsonl'), 'utf8')).trim().split('\n').map((line) => eventLineSchema.parse(JSON.parse(line)));
      expect(events.filter(({ event }) => event.type === 'message' && event.role === 'user').map(({ turn, event }) => [turn, (event as { text: string }).text])).toEqual([
        [1, 'The tests of this project fail. Find the bug, mend it, and run the tests.'], [2, 'What did you change? Answer in one sentence.'],
      ]);
      expect(events.filter(({ event }) => event.type === 'operation.started').map(({ event }) => (event as { operation: { tool?: string } }).operation.tool))
        .toEqual(id.includes('claude') ? ['file_read', 'file_edit', 'shell'] : ['shell', 'file_edit', 'shell']);
      const raw = await readdir(join(run, 'attempts', id, 'raw'));
      expect(raw).toEqual(expect.arrayContaining(['session1-turn1-stdout.jsonl.gz', 'session1-turn2-stdout.jsonl.gz']) as string[]);
    }
  });

  it('make a claim of each family, with what each rests on', async () => {
    const { exitCode, stdout } = await niceeval(['run', 'every-claim', 'points']);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    const runs = join(root, '.niceeval/runs');
    const folder = join(runs, (await readdir(runs))[0] ?? '', 'attempts');
    const claimsOf = async (name: string, agent: string) => {
      const id = (await readdir(folder)).find((entry) => entry.startsWith(`${name}.${agent}`)) ?? '';
      const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(folder, id, file), 'utf8')) as unknown;
      return { attempt: attemptFileSchema.parse(await read('attempt.json')), claims: claimsFileSchema.parse(await read('claims.json')).claims };
    };
    for (const agent of ['claude-code', 'codex']) {
      const { claims } = await claimsOf('every-claim', agent);
      expect(claims).toHaveLength(27);
      expect(claims.filter(({ state }) => state !== 'matched').map(({ code, optional }) => [code, optional])).toEqual(
        agent === 'codex' ? [['model-unpriced', true]] : [],
      );
      expect(claims.find(({ label }) => label === 'ran the tests, and they passed')).toMatchObject({ groups: ['what it did'], gates: true, state: 'matched' });
      const { attempt, claims: points } = await claimsOf('points', agent);
      expect(attempt).toMatchObject({ evaluationKind: 'score', verdict: 'passed', score: { earned: 9, possible: 10 } });
      expect(points.map((claim) => claim.points)).toEqual([undefined, { possible: 2, earned: 2 }, { possible: 6, earned: 6 }, { possible: 1, earned: 1 }, { possible: 1, earned: 0 }]);
    }
  });

  it('fail and name the claim when the agent does not change the file', async () => {
    const script = join(root, 'models/claude-code.json');
    const { turns, ...rest } = JSON.parse(await readFile(script, 'utf8')) as { turns: unknown[] };
    await writeFile(script, JSON.stringify({ ...rest, turns: turns.filter((_turn, index) => index !== 1) }));
    const { exitCode, stdout } = await niceeval(['run', 'fix-sum', '--experiment', 'claude-code']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain([
      'failed  fix-sum by claude-code (1)',
      '  ✗ edited a file (turn 1 called tool "file_edit")',
      '      expected  at least once',
      '      received  0 found; called: Read, Bash',
      '',
    ].join('\n'));
    expect(stdout).toContain('  ✗ the hidden test passes (the value is a command that ended with exit code 0)\n');
    expect(stdout).toContain('0 passed, 1 failed, 0 errored, 0 skipped');
    expect(await leftovers()).toEqual([]);
  });
});
