import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptFileSchema } from '../../src/record/schema.js';
import { shellAgent } from '../support/agents.js';
import { leftovers, openProject, type TestProject } from '../support/project.js';

// What is reached counts, not who trusts its certificate.
const TRY = 'curl -skS --max-time 20 -o /dev/null https://registry.npmjs.org/is-number && echo reached || echo not reached; getent hosts canary.invalid >/dev/null || echo no canary';

const evalOf = (fields: string): string => `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
const wanted = (reached) => equals((reached ? 'reached' : 'not reached') + '\\nno canary\\n');
const TRY = ${JSON.stringify(TRY)};
export default defineEval({
  ${fields}
  async test(t) {
    const { reached } = t.flags;
    if (reached.includes('prepare') || reached.includes('grade')) t.check((await t.sandbox.runShell(TRY)).stdout, wanted(reached.includes('prepare')));
    const turn = await t.send('go');
    t.check(turn.message, wanted(reached.includes('agent')));
    t.check((await t.sandbox.runShell(TRY)).stdout, wanted(reached.includes('grade')));
  },
});`;

const experiment = (network: string, reached: readonly string[]): string => shellAgent(TRY, `evals: ['phases'], ${network === '' ? '' : `network: ${network},`} flags: { reached: ${JSON.stringify(reached)} },`);

describe('the network by phase', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await openProject({
      'evals/phases.eval.ts': evalOf("network: { agent: 'none' },"),
      'experiments/1-eval-alone.ts': experiment('', []),
      'experiments/2-open-before.ts': experiment("{ prepare: 'open' }", ['prepare']),
      'experiments/3-open-after.ts': experiment("{ agent: 'model-only', grade: 'open' }", ['grade']),
      'experiments/4-list.ts': experiment("{ agent: { allow: ['*.npmjs.org'] } }", ['agent']),
    });
    const { exitCode, stdout } = await project.niceeval(['run', '--concurrency', '2']);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  const facts = async (experimentId: string) => {
    const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', `phases.${experimentId}`));
    return { verdict: attempt.verdict, ...attempt.network, denied: attempt.network?.denied.map(({ phase, via, host }) => `${phase} ${via} ${host}`) };
  };

  it('is what the eval says, phase by phase what the experiment says, else closed; what was denied is told', async () => {
    expect(await facts('1-eval-alone')).toEqual({
      verdict: 'passed',
      access: { prepare: 'model-only', agent: 'none', grade: 'model-only' },
      // Nobody hears what is asked in a network that is cut.
      denied: ['grade dns registry.npmjs.org', 'grade dns canary.invalid'],
    });
    expect(await facts('2-open-before')).toEqual({
      verdict: 'passed',
      access: { prepare: 'open', agent: 'none', grade: 'model-only' },
      denied: ['grade dns registry.npmjs.org', 'grade dns canary.invalid'],
    });
    expect(await facts('3-open-after')).toEqual({
      verdict: 'passed',
      access: { prepare: 'model-only', agent: 'model-only', grade: 'open' },
      denied: ['prepare dns registry.npmjs.org', 'prepare dns canary.invalid', 'agent dns registry.npmjs.org', 'agent dns canary.invalid'],
    });
    expect(await facts('4-list')).toEqual({
      verdict: 'passed',
      access: { prepare: 'model-only', agent: { allow: ['*.npmjs.org'] }, grade: 'model-only' },
      denied: ['agent dns canary.invalid', 'grade dns registry.npmjs.org', 'grade dns canary.invalid'],
    });
  });

  it('leaves nothing behind', async () => {
    expect(await leftovers()).toEqual([]);
  });
});
