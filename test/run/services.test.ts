import { describe, expect, test } from 'vitest';
import { forward, type ForwardInput } from '../../src/define/gateway.js';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { createServices, ModelKeyError } from '../../src/run/services.js';

const env = (variables: Readonly<Record<string, string>>) => (name: string): string | undefined => variables[name];
const planned = (services: ForwardInput, speaks?: 'anthropic' | 'openai'): PlannedAttempt => ({ experimentId: 'e', services, experiment: { agent: { name: 'cli', ...(speaks && { speaks }) } } } as unknown as PlannedAttempt);

describe('the services of an experiment', () => {
  test('are the vendors, with the keys of their usual variables and the header of each', async () => {
    const services = createServices(env({ ANTHROPIC_API_KEY: ' sk-ant-key-1 \n', OPENAI_API_KEY: 'sk-key-2', GOOGLE_API_KEY: 'AIza-key-3' }));
    expect(await services.upstreamsOf({})).toEqual({
      anthropic: { baseUrl: 'https://api.anthropic.com', headers: { 'x-api-key': 'sk-ant-key-1' }, secrets: ['sk-ant-key-1'] },
      openai: { baseUrl: 'https://api.openai.com/v1', headers: { authorization: 'Bearer sk-key-2' }, secrets: ['sk-key-2'] },
      gemini: { baseUrl: 'https://generativelanguage.googleapis.com', headers: { 'x-goog-api-key': 'AIza-key-3' }, secrets: ['AIza-key-3'] },
    });
    expect(services.secrets()).toEqual(expect.arrayContaining(['sk-ant-key-1', 'sk-key-2', 'AIza-key-3']));
  });

  test('take the token of a subscription as its vendor wants it', async () => {
    const services = createServices(env({ CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-token' }));
    expect((await services.upstreamsOf({})).anthropic?.headers).toEqual({ authorization: 'Bearer sk-ant-oat01-token', 'anthropic-beta': 'oauth-2025-04-20' });
  });

  test('are others where the experiment or a variable says so, with headers and a proxy', async () => {
    const services = createServices(env({ TEAM_KEY: 'team-key-1', ANTHROPIC_BASE_URL: 'https://router.example/api', SECRET: 'a-secret-header' }));
    const { anthropic } = await services.upstreamsOf(forward({ anthropic: { apiKey: { env: 'TEAM_KEY' }, auth: 'bearer', headers: { 'X-Team': 'blue-and-long', 'x-more': { env: 'SECRET' } } } }));
    expect(anthropic).toEqual({ baseUrl: 'https://router.example/api', headers: { authorization: 'Bearer team-key-1', 'x-team': 'blue-and-long', 'x-more': 'a-secret-header' }, secrets: ['team-key-1', 'a-secret-header'] });
  });

  test('ask a command for the key, once for as long as it holds, and again when it was refused', async () => {
    let now = 0;
    const services = createServices(env({}), () => now);
    const input: ForwardInput = { openai: { apiKey: { command: ['node', '-e', 'console.log("key-" + process.hrtime.bigint())'], refreshMs: 1000 } } };
    const keyNow = async (): Promise<string | undefined> => (await services.upstreamsOf(input)).openai?.headers['authorization'];
    const first = await keyNow();
    expect(first).toMatch(/^Bearer key-\d+$/);
    expect(await keyNow()).toBe(first);
    now = 1000;
    const second = await keyNow();
    expect(second).not.toBe(first);
    services.refused({});
    expect(await keyNow()).toBe(second);
    services.refused(input);
    expect(await keyNow()).not.toBe(second);
    // A key is renewed when it is so old, not when an Attempt has had it for so long.
    now = 1700;
    expect(services.renewalMsOf(input)).toBe(300);
    expect(services.renewalMsOf({})).toBeUndefined();
  });

  test.each([
    ['prints nothing', ['node', '-e', ''], 'gave no key: it printed nothing'],
    ['fails', ['node', '-e', 'console.log("half-a-key"); process.exit(3)'], 'gave no key: it ended with exit code 3'],
    ['is not there', ['/no/such/program'], 'gave no key: ENOENT'],
  ] as const)('say why a command that %s gives none, and repeat nothing of its output', async (_what, command, message) => {
    const failure = await createServices(env({})).upstreamsOf({ openai: { apiKey: { command } } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelKeyError);
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain('half-a-key');
  });

  test('refuse a key that no header can carry', async () => {
    await expect(createServices(env({ OPENAI_API_KEY: 'a\nb' })).upstreamsOf({})).rejects.toThrow('The key for openai has characters that no header can carry.');
  });

  test('say before a run what is missing for it', () => {
    const services = createServices(env({ OPENAI_API_KEY: 'sk-key-2' }));
    expect(services.problemsOf([planned({}, 'openai')])).toEqual([]);
    expect(services.problemsOf([planned({})])).toEqual([]);
    expect(services.problemsOf([planned({}, 'anthropic'), planned({}, 'anthropic')])).toEqual([
      'e: there is no key for the model of "cli". Set ANTHROPIC_API_KEY, or let `gateway` of the experiment say where it comes from, or play a script with `gateway: scripted("./model.json")`.',
    ]);
    expect(services.problemsOf([planned({ anthropic: { apiKey: { env: 'MINE' } } }, 'anthropic')])[0]).toContain('Set MINE,');
    expect(services.problemsOf([planned({ anthropic: { baseUrl: 'http://models.internal' } }, 'anthropic')])).toEqual([]);
  });
});
