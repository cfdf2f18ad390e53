import { readFile, readdir } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { FaultPlan } from '../../src/gateway/faults/fault-plan.js';
import { attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema } from '../../src/record/schema.js';
import { openProject } from './project.js';

/** One eval by one experiment whose model is played from a script. */
export interface ScriptedCase {
  /** Source text, for instance `claudeCode({ maxTurns: 1 })`. */
  readonly agent: string;
  /** Body of the test; `t` is there. */
  readonly test: string;
  /** What the model says. */
  readonly turns?: readonly object[];
  readonly lanes?: readonly object[];
  /** How the answers are spoilt. */
  readonly faults?: FaultPlan;
  /** Further fields of the experiment, as source text. */
  readonly settings?: string;
}

/** What one case came to, read back from its record. */
export interface ScriptedOutcome {
  readonly attempt: ReturnType<typeof attemptFileSchema.parse>;
  readonly claims: ReturnType<typeof claimsFileSchema.parse>['claims'];
  readonly changes: ReturnType<typeof changesFileSchema.parse>['changes'];
  /** Everything that happened in a turn of the main session. */
  events(turn: number): readonly StreamEvent[];
  /** Names of the files below `raw/`. */
  readonly raw: readonly string[];
  readRaw(name: string): Promise<string>;
}

/** All cases, carried out. Closing it removes the project. */
export interface ScriptedRun extends AsyncDisposable {
  /** @throws Error for a case that has no record. */
  of(name: string): ScriptedOutcome;
}

/** Runs all cases in one run of the built command, and reads the records back. Files are written into the project, `args` go to the command. */
export async function runScripted(cases: Readonly<Record<string, ScriptedCase>>, files: Readonly<Record<string, string | Uint8Array>> = {}, args: readonly string[] = []): Promise<ScriptedRun> {
  const project = await openProject({
    ...files,
    ...Object.fromEntries(Object.entries(cases).flatMap(([name, { agent, test, turns, lanes, faults, settings = '' }]) => [
      [`evals/${name}.eval.ts`, `import { defineEval } from 'niceeval';\nimport { commandMatch, equals, eventMatch, includes, jsonMatch, not, pattern, referencesAnyPath, shellMatch, similarity, toolMatch } from 'niceeval/expect';\nexport default defineEval({ async test(t) {\n${test}\n} });\n`],
      [`experiments/${name}.ts`, `import { defineExperiment, scripted } from 'niceeval';\nimport { claudeCode, codex } from 'niceeval/adapter';\nexport default defineExperiment({ agent: ${agent}, evals: ['${name}'], gateway: scripted('../models/${name}.json'${faults === undefined ? '' : `, { faults: ${JSON.stringify(faults)} }`}), timeoutMs: 90_000, ${settings} });\n`],
      [`models/${name}.json`, JSON.stringify({ format: 'niceeval.script/v1', ...(turns === undefined ? { lanes } : { turns }) })],
    ])),
  });
  const { stdout, stderr, exitCode } = await project.niceeval(['run', '--concurrency', '2', ...args], { timeoutMs: 400_000 });
  expect([0, 1], `${stdout}\n${stderr}`).toContain(exitCode);
  const folder = join(await project.runFolder(), 'attempts');
  const outcomes = new Map<string, ScriptedOutcome>();
  for (const id of await readdir(folder)) {
    const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(folder, id, file), 'utf8')) as unknown;
    const attempt = attemptFileSchema.parse(await read('attempt.json'));
    const lines = (await readFile(join(folder, id, 'events.jsonl'), 'utf8')).split('\n').filter((line) => line !== '').map((line) => eventLineSchema.parse(JSON.parse(line)));
    const raw = (await readdir(join(folder, id, 'raw'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(join(folder, id, 'raw').length + 1).replace(/\.gz$/, ''));
    outcomes.set(attempt.evalId, {
      attempt,
      claims: claimsFileSchema.parse(await read('claims.json')).claims,
      changes: changesFileSchema.parse(await read('changes.json')).changes,
      events: (turn) => lines.filter((line) => line.session === 1 && line.turn === turn).map(({ event }) => event),
      raw,
      readRaw: async (name) => gunzipSync(await readFile(join(folder, id, 'raw', `${name}.gz`))).toString('utf8'),
    });
  }
  const of = (name: string): ScriptedOutcome => {
    const outcome = outcomes.get(name);
    if (outcome === undefined) throw new Error(`${name} has no record`);
    return outcome;
  };
  return { of, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() as Promise<void> };
}

/** Events without what no two runs share: times, ids, the record that told them, and context that the CLI brings itself. */
export function told(events: readonly StreamEvent[]): readonly object[] {
  const ids = new Map<string, string>();
  const idOf = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `#${ids.size + 1}`);
    return ids.get(id) ?? '';
  };
  return events.filter(({ type }) => type !== 'context.injected').map((event) => {
    const { at: _at, witness: _witness, parentOperationId, ...rest } = event;
    const own = 'operationId' in rest && rest.operationId !== undefined ? { ...rest, operationId: idOf(rest.operationId) } : rest;
    if (own.type === 'input.requested') return { type: own.type, request: { ...own.request, id: 'some id' } };
    const plain = own.type === 'operation.started' && own.operation.kind === 'tool' ? { ...own, operation: { kind: 'tool', name: own.operation.name, tool: own.operation.tool, input: own.operation.input } } : own;
    return { ...plain, ...(parentOperationId === undefined ? {} : { parentOperationId: idOf(parentOperationId) }) };
  });
}
