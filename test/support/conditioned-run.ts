import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StreamEvent } from '../../src/evidence/events.js';
import { openProject, type TestProject } from './project.js';

/** The folder that an agent works in. */
export const WORKSPACE = '/home/agent/workspace';

/** A real CLI whose model is played from a script, with the files of its project. */
export interface ConditionedCli {
  /** Source text, for instance `codex()`. */
  readonly agent: string;
  readonly model: string;
  /** What its model says, in turns of the model or in lanes of them. */
  readonly script: readonly object[] | { readonly lanes: readonly object[] };
  /** By relative path; those below `ws/` are the workspace's. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One operation, and how it ended. */
export interface EndedOperation { readonly name: string; readonly status: string; readonly output: string; }

/** What one pair of policies came to. */
export interface ConditionedOutcome {
  /** For instance `never workspace_write`. */
  readonly id: string;
  readonly failures: readonly string[];
  readonly operations: readonly EndedOperation[];
  /** How often a person was asked. */
  readonly asked: number;
}

/** What the command came to, with one line for each pair of policies. */
export interface ConditionedRun { readonly exitCode: number | undefined; readonly stderr: string; readonly outcomes: readonly ConditionedOutcome[]; }

/** @param pairs Each an approval policy and a sandbox policy, for instance `never workspace_write`. @param prompts Messages, one after the other. */
export async function runConditioned(cli: ConditionedCli, pairs: readonly string[], { args = [], prompts = ['try'] }: { readonly args?: readonly string[]; readonly prompts?: readonly string[] } = {}): Promise<ConditionedRun> {
  const [prompt, ...turns] = prompts;
  await using project: TestProject = await openProject({
    'niceeval.config.ts': `import { defineConfig, scripted } from 'niceeval';\nimport { claudeCode, codex } from 'niceeval/adapter';\nexport default defineConfig({ profiles: { own: { agent: ${cli.agent}, model: '${cli.model}', gateway: scripted('script.json') } } });\n`,
    'script.json': JSON.stringify({ format: 'niceeval.script/v1', ...('lanes' in cli.script ? cli.script : { turns: cli.script }) }),
    'pairs.jsonl': pairs.map((id) => `${JSON.stringify({ id, prompt, turns, profile: 'own', approval_policy: id.split(' ')[0], sandbox_policy: { kind: id.split(' ')[1] } })}\n`).join(''),
    'ws/seed.txt': 'seed\n',
    ...cli.files,
  });
  const { exitCode, stderr } = await project.niceeval(['scenarios', 'run', '--scenarios', 'pairs.jsonl', '--output', 'out/lines.jsonl', '--summary', 'out/summary.json', '--workspace', 'ws', '--include-trace', ...args], { timeoutMs: 230_000 });
  const text = await readFile(join(project.root, 'out/lines.jsonl'), 'utf8').catch(() => '');
  return { exitCode, stderr, outcomes: text.split('\n').filter((line) => line !== '').map((line) => outcomeOf(JSON.parse(line) as Line)) };
}

interface Line { readonly scenario_id: string; readonly failures: readonly string[]; readonly event_types: readonly string[]; readonly trace: readonly { readonly event: StreamEvent }[] }

function outcomeOf({ scenario_id: id, failures, event_types: types, trace }: Line): ConditionedOutcome {
  const names = new Map<string, string>();
  const operations = trace.flatMap(({ event }): readonly EndedOperation[] => {
    if (event.type === 'operation.started') names.set(event.operationId, event.operation.name);
    return event.type === 'operation.finished' ? [{ name: names.get(event.operationId) ?? '', status: event.status, output: JSON.stringify(event.output ?? '') }] : [];
  });
  return { id, failures, operations, asked: types.filter((type) => type === 'PermissionRequested').length };
}
