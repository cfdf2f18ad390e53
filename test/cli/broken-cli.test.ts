import { describe, expect, it } from 'vitest';
import { leftovers, openProject } from '../support/project.js';

// Each stands in for a CLI that went wrong; it is found first on the agent's PATH.
const BROKEN: Readonly<Record<string, string>> = {
  silent: 'echo "cannot start: no licence" >&2; exit 0',
  garbage: 'echo "hello"; echo "{not json"; echo "something went wrong" >&2; exit 0',
  'no-end': `echo '{"type":"system","subtype":"init","cwd":"/","session_id":"s1","tools":[],"model":"m","uuid":"u1"}'; echo '{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"All done!"}],"usage":{"input_tokens":1,"output_tokens":1}},"session_id":"s1","uuid":"u2","parent_tool_use_id":null}'; echo "late trouble" >&2; exit 0`,
  killed: 'echo "about to die" >&2; kill -9 $$',
};

const experiment = (name: string): string => `
import { defineExperiment, scripted } from 'niceeval';
import { claudeCode } from 'niceeval/adapter';
export default defineExperiment({
  agent: claudeCode({ env: { PATH: '/home/agent/broken/${name}:/usr/local/bin:/usr/bin:/bin' } }),
  gateway: scripted('../model.json'),
  flags: { broken: '${name}' },
});`;

const evalText = `
import { defineEval } from 'niceeval';
const scripts: Record<string, string> = ${JSON.stringify(BROKEN)};
export default defineEval({
  async test(t) {
    const name = String(t.flags.broken);
    await t.sandbox.writeText('/home/agent/broken/' + name + '/claude', '#!/bin/sh\\n' + scripts[name] + '\\n');
    await t.sandbox.runShellOrThrow('chmod +x /home/agent/broken/*/claude');
    (await t.send('go')).succeeded();
  },
});`;

describe('a CLI that goes wrong', () => {
  it('gives an errored Attempt with the end of its standard error, never a pass', async () => {
    const experiments = Object.fromEntries(Object.keys(BROKEN).map((name) => [`experiments/${name}.ts`, experiment(name)]));
    await using project = await openProject({ ...experiments, 'evals/a.eval.ts': evalText, 'model.json': '{"format":"niceeval.script/v1","turns":[{"text":"x"}]}' });
    const { exitCode, stdout } = await project.niceeval(['run', '--json']);
    expect(exitCode).toBe(1);
    const finished = stdout.split('\n').map((line) => JSON.parse(line) as { type: string; experimentId: string; verdict: string; reasons: string[]; error?: { code: string; phase: string } })
      .filter((line) => line.type === 'attempt.finished');
    const told = Object.fromEntries(finished.map((line) => [line.experimentId, line]));
    for (const [name, tail] of [['silent', 'cannot start: no licence'], ['garbage', 'something went wrong'], ['no-end', 'late trouble'], ['killed', 'about to die']] as const) {
      expect({ name, verdict: told[name]?.verdict, code: told[name]?.error?.code, phase: told[name]?.error?.phase }).toEqual({ name, verdict: 'errored', code: 'agent-send-failed', phase: 'send' });
      expect(told[name]?.reasons[0]).toContain(`Its standard error ends: ${tail}`);
    }
    // What was said before it broke off is kept.
    const attempt = await project.attemptFile('attempt.json', 'a.no-end') as { turns: { coverage: { status: { status: string } }; failure: { kind: string } }[] };
    expect(attempt.turns[0]).toMatchObject({ failure: { kind: 'no-end' } });
    expect(attempt.turns[0]?.coverage.status.status).not.toBe('complete');
    expect(await leftovers()).toEqual([]);
  });
});
