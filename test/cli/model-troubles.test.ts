import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptFileSchema } from '../../src/record/schema.js';
import { openProject, type TestProject } from '../support/project.js';
import { serveUpstream, type UpstreamServer } from '../gateway/upstream-server.js';

/** Nothing answers there: what passes needs no engine. */
const ENV = { DOCKER_HOST: 'unix:///nowhere/docker.sock', ANTHROPIC_API_KEY: 'sk-real-key-of-this-test', OPENAI_API_KEY: '' };
const ANSWER = JSON.stringify({ type: 'message', model: 'm', content: [{ type: 'text', text: 'yes' }], stop_reason: 'end_turn', usage: { input_tokens: 10, output_tokens: 5 } });

/** An agent that asks what `asks` says, all at once or one after the other, takes no notice of the answers, and is content. */
const experiment = (asks: readonly string[], options: { readonly together?: boolean; readonly setupAsks?: string; readonly openai?: boolean; readonly settings?: string } = {}): string => `
import { defineExperiment, forward } from 'niceeval';
import { completeEvidenceCoverage, defineSandboxAgent } from 'niceeval/adapter';
const ask = ({ origin, token }, words) => fetch(origin + '${options.openai === true ? '/v1/responses' : '/v1/messages'}', { method: 'POST', headers: { 'x-api-key': token, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }, body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: words }] }) }).then((r) => r.text(), () => '');
export default defineExperiment({
  agent: defineSandboxAgent({
    name: 'content', evidenceCoverage: completeEvidenceCoverage,
    ${options.setupAsks === undefined ? '' : `setup: async (ctx) => { await ask(ctx.endpoint, ${JSON.stringify(options.setupAsks)}); },`}
    send: async (input, ctx) => {
      const words = ${JSON.stringify(asks)};
      ${options.together === true ? 'await Promise.all(words.map((word) => ask(ctx.endpoint, word)));' : 'for (const word of words) await ask(ctx.endpoint, word);'}
      return { status: 'completed', events: [{ type: 'message', role: 'assistant', text: 'done' }], usage: { inputTokens: 10, outputTokens: 5 } };
    },
  }),
  gateway: forward(), retries: 0, ${options.settings ?? ''}
});
`;

let upstream: UpstreamServer;
let project: TestProject;

beforeAll(async () => {
  upstream = await serveUpstream((response, { body }) => {
    if (body.includes('broken')) response.socket!.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
  });
  project = await openProject({
    // Whatever happens, this test is content as well.
    'evals/easy.eval.ts': "import { defineEval } from 'niceeval';\nimport { equals } from 'niceeval/expect';\nexport default defineEval({ async test(t) { try { await t.send('go'); } catch {} t.check(1, equals(1)); } });\n",
    'experiments/fine.ts': experiment(['one', 'two']),
    'experiments/recovers.ts': experiment(['broken', 'one']),
    'experiments/never-again.ts': experiment(['one', 'broken', 'broken']),
    'experiments/keyless.ts': experiment(['one', 'two'], { openai: true }),
    'experiments/setup.ts': experiment(['one'], { setupAsks: 'before' }),
    'experiments/spent.ts': experiment(['one', 'two', 'three', 'four'], { settings: 'attemptBudget: { requests: 2 },' }),
    'experiments/at-once.ts': experiment(['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7', 'a-8'], { together: true, settings: 'attemptBudget: { requests: 2 },' }),
  });
  await project.niceeval(['run', '--sandbox', 'local', '--record', 'tapes'], { env: { ...ENV, ANTHROPIC_BASE_URL: upstream.url } });
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});
const attemptOf = async (name: string) => attemptFileSchema.parse(await project.attemptFile('attempt.json', `easy.${name}`));

describe('an agent and a test that are content with whatever comes', () => {
  test('pass where the model answered', async () => {
    expect(await attemptOf('fine')).toMatchObject({ verdict: 'passed', gateway: { requests: 2 } });
  });

  test('pass where it answered in the end, and the trouble is told', async () => {
    const { verdict, diagnostics } = await attemptOf('recovers');
    expect([verdict, diagnostics.map(({ code }) => code)]).toEqual(['passed', expect.arrayContaining(['upstream-failed'])]);
  });

  test('prove nothing where it never answered again', async () => {
    expect(await attemptOf('never-again')).toMatchObject({ verdict: 'errored', error: { code: 'gateway-upstream' }, failure: { kind: 'network', infrastructure: true } });
  });

  test('prove nothing where there was no key for what they asked', async () => {
    expect(await attemptOf('keyless')).toMatchObject({ verdict: 'errored', error: { code: 'model-key' }, failure: { kind: 'auth', infrastructure: true }, gateway: { requests: 0 } });
  });

  test('are told to have been refused their model for want of money', async () => {
    const { verdict, stopped, gateway } = await attemptOf('spent');
    expect([verdict, stopped?.reason, gateway?.requests]).toEqual(['passed', 'budget-exceeded', 2]);
  });

  test('get no more requests through at once than they may', async () => {
    const { stopped, gateway } = await attemptOf('at-once');
    expect([stopped?.reason, gateway?.requests, upstream.heard.filter(({ body }) => body.includes('"a-')).length]).toEqual(['budget-exceeded', 2, 2]);
  });

  test('prove nothing where a cassette lacks what they ask, in a turn or before the first', async () => {
    for (const [name, from, to] of [['fine', "'two'", "'three'"], ['setup', '"before"', '"earlier"']] as const) {
      const file = `${project.root}/experiments/${name}.ts`;
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace(from, to).replace(from.replaceAll("'", '"'), to.replaceAll("'", '"')));
      await project.niceeval(['run', '--sandbox', 'local', '--replay', 'tapes', '--experiment', name], { env: { ...ENV, ANTHROPIC_API_KEY: '' } });
      expect(await attemptOf(name)).toMatchObject({ verdict: 'errored', error: { code: 'cassette-lacks' }, failure: { kind: 'harness' } });
    }
  });

  test('are never used again when they came from a cassette', async () => {
    await project.niceeval(['run', '--sandbox', 'local', '--replay', 'tapes', '--experiment', 'spent'], { env: { ...ENV, ANTHROPIC_API_KEY: '' } });
    const { stdout } = await project.niceeval(['run', '--sandbox', 'local', '--reuse', '--dry-run', '--experiment', 'spent'], { env: { ...ENV, ANTHROPIC_BASE_URL: upstream.url } });
    expect(String(stdout)).toContain('easy by spent #1 (content): runs: ');
  });

  test('are judged again to the same, where money ended a turn', async () => {
    const { stdout } = await project.niceeval(['regrade', 'latest', '--json']);
    expect(String(stdout)).toContain('"changed":0');
  });
});
