import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/agent.js';
import { codex } from '../../src/agents/codex/agent.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'niceeval-options-'));
  await mkdir(join(folder, 'skill'));
  await writeFile(join(folder, 'skill/SKILL.md'), '---\nname: skill\n---\n');
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'settings.json'), '{"hooks":{}}');
  await writeFile(join(folder, 'broken.json'), '{"hooks":');
  await writeFile(join(folder, 'model.json'), '{"model":"opus"}');
  await writeFile(join(folder, 'config.toml'), 'hide_agent_reasoning = true\n# model = "x"\n');
  await writeFile(join(folder, 'model.toml'), '[tools]\nweb_search = false\n\n[model_providers.own]\nname = "own"\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const make = { claudeCode: claudeCode as (options: never) => unknown, codex: codex as (options: never) => unknown };

describe('an option that a CLI does not have or that does not fit is refused when it is given', () => {
  test.each<['claudeCode' | 'codex', object, string]>([
    ['claudeCode', { modle: 'x' }, 'claudeCode() does not know the option "modle". It knows '],
    ['claudeCode', { configFile: 'x' }, 'claudeCode() does not know the option "configFile": its settings are a JSON file, see `settingsFile`. It knows '],
    ['claudeCode', { maxTurns: 0 }, 'claudeCode(): `maxTurns` does not fit: '],
    ['claudeCode', { permissionMode: 'yolo' }, 'claudeCode(): `permissionMode` does not fit: '],
    ['claudeCode', { systemPrompt: '' }, 'claudeCode(): `systemPrompt` does not fit: '],
    ['claudeCode', { mcpServers: [{ name: 'a', command: 'x', url: 'http://x' }] }, 'claudeCode(): `mcpServers.0` does not fit: a server is { name, command, args?, env? } or { name, url, headers? }.'],
    ['claudeCode', { mcpServers: [{ name: 'a b', command: 'x' }] }, 'claudeCode(): `mcpServers.0.name` does not fit: a name has 1 to 64 letters, digits, "_" or "-".'],
    ['claudeCode', { mcpServers: [{ name: 'a', command: 'x' }, { name: 'a', command: 'y' }] }, 'claudeCode(): `mcpServers` does not fit: two servers have the same name.'],
    ['claudeCode', { skills: [{ kind: 'repo', source: 'x' }] }, 'claudeCode(): `skills.0.kind` does not fit: only { kind: "local", path } is known; check a repository out first.'],
    ['codex', { maxTurns: 3 }, 'codex() does not know the option "maxTurns": it has no limit of turns; use `timeoutMs` of the experiment. It knows '],
    ['codex', { permissionMode: 'plan' }, 'codex() does not know the option "permissionMode": see `approvalPolicy` and `sandboxMode`. It knows '],
    ['codex', { allowedTools: [] }, 'codex() does not know the option "allowedTools": it has no list of allowed tools; see rules in `configFile`. It knows '],
    ['codex', { plugins: [] }, 'codex() does not know the option "plugins": niceeval cannot install its plugins; use `skills`, `mcpServers` or `configFile`. It knows '],
    ['codex', { approvalPolicy: 'untrusted' }, 'codex(): `approvalPolicy` does not fit: '],
    ['codex', { hooksFile: 'x', askUser: true }, 'codex(): `hooksFile` cannot work with `codex app-server`, which runs only hooks that a person has trusted.'],
    ['codex', { transport: 'exec', askUser: true }, 'codex(): `transport: "exec"` asks nobody, so `askUser` and `approvalPolicy: "on-request"` cannot work with it. Leave `transport` out.'],
  ])('%s %j', (factory, options, beginning) => {
    let message = '';
    try {
      make[factory](options as never);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      message = error.message;
    }
    expect(message.slice(0, beginning.length)).toBe(beginning);
  });
});

describe('what an experiment names on disk is looked at before anything starts', () => {
  test.each<[string, () => { check?: (settings: { experimentFolder: string }) => string | undefined }, string | undefined]>([
    ['settings', () => claudeCode({ settingsFile: 'settings.json' }), undefined],
    ['settings that are not there', () => claudeCode({ settingsFile: 'none.json' }), '`settingsFile`: there is no file "none.json". The path is relative to the experiment\'s file.'],
    ['settings that are cut', () => claudeCode({ settingsFile: 'broken.json' }), '`settingsFile`: "broken.json" is no JSON object.'],
    ['settings that choose the model', () => claudeCode({ settingsFile: 'model.json' }), '`settingsFile`: "model.json" sets "model", which the experiment decides. Take it out.'],
    ['a plugin that is a file', () => claudeCode({ plugins: ['settings.json'] }), '`plugins`: "settings.json" is no folder, and a folder is needed.'],
    ['instructions that are a folder', () => claudeCode({ instructionsFile: 'skill' }), '`instructionsFile`: "skill" is a folder, and a file is needed.'],
    ['a skill', () => codex({ skills: [{ kind: 'local', path: 'skill' }] }), undefined],
    ['a skill without SKILL.md', () => codex({ skills: [{ kind: 'local', path: 'empty' }] }), '`skills`: the folder "empty" has no SKILL.md.'],
    ['two skills of one name', () => claudeCode({ skills: [{ kind: 'local', path: 'skill' }, { kind: 'local', path: './skill/' }] }), '`skills`: two skills have the name "skill".'],
    ['a skill whose name is none', () => claudeCode({ skills: [{ kind: 'local', path: '..' }] }), '`skills`: ".." cannot be the name of a skill. Give one with `name`.'],
    ['a configuration', () => codex({ configFile: 'config.toml' }), undefined],
    ['a configuration that brings a model', () => codex({ configFile: 'model.toml' }), '`configFile`: "model.toml" sets "model_providers", which the experiment decides. Take it out.'],
  ])('%s', (_what, agent, problem) => {
    expect(agent().check?.({ experimentFolder: folder })).toBe(problem);
  });
});
