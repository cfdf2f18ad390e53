import { join, resolve } from 'node:path';
import { fakeToolCallOf, isFakeTool, type FakeToolCall } from '../agents/fake/tools.js';
import { parseJson } from '../evidence/json.js';
import { discoverConfig } from '../plan/discover.js';
import { AuthoringError } from '../plan/errors.js';
import { plainLine } from '../report/plain-text.js';
import type { RunEvent } from '../run/ports.js';
import { createServices } from '../run/services.js';
import { BACKENDS, type BackendName } from '../sandbox/backend.js';
import { planScenarios, type ScenarioSettings } from '../scenario/plan-scenarios.js';
import { approvalPolicyOf, sandboxPolicyOf } from '../scenario/policy-names.js';
import { createProfiles, FAKE_PROFILE, type AgentName } from '../scenario/profiles.js';
import { readScenarios } from '../scenario/read-scenarios.js';
import type { ScenarioSummary } from '../scenario/result.js';
import { runScenarios, type ScenarioRun } from '../scenario/run-scenarios.js';
import { selectScenarios } from '../scenario/select.js';
import { createSummary } from '../scenario/summary.js';
import { writeWhole } from '../scenario/whole-file.js';
import { withCleanOutput } from './clean-output.js';
import { BUILT_IN } from './defaults.js';
import { EXIT, SCENARIO_EXIT } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import { openRecordOrTell } from './open-record.js';
import { remark } from './output.js';
import { recordsRoot } from './records-root.js';
import { newRunId } from './run-id.js';
import { openLines, placesOf, workspaceOf, type Lines, type PlaceFlags, type Places, type Write } from './scenarios-places.js';

/** Options of `niceeval scenarios run`, as commander hands them over. */
export interface ScenariosRunFlags extends PlaceFlags {
  readonly scenarios: string;
  readonly workspace: string;
  readonly profile?: string;
  readonly agent?: AgentName;
  readonly model?: string;
  readonly tags: readonly string[];
  readonly tag: readonly string[];
  readonly excludeTag: readonly string[];
  readonly failFast?: boolean;
  readonly includeTrace?: boolean;
  readonly enableMcp?: boolean;
  readonly enableHooks?: boolean;
  readonly approvalPolicy?: string;
  readonly sandboxPolicy?: string;
  readonly scenarioTimeoutMs?: number;
  readonly waitTimeoutMs?: number;
  readonly allowPostRunCommands?: boolean;
  readonly autoCompactThreshold?: number;
  readonly seedSyntheticPairs?: number;
  readonly fakeEmitToolCall?: boolean;
  readonly fakeToolId?: string;
  /** JSON. */
  readonly fakeToolArguments?: string;
  readonly sandbox: BackendName;
  readonly concurrency?: number;
}

/** `niceeval scenarios run`. */
export function scenariosRunCommand(flags: ScenariosRunFlags): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  // What an author's configuration prints must not stand among the results.
  return withCleanOutput(() => runFile(flags, write));
}

async function runFile(flags: ScenariosRunFlags, write: Write): Promise<number> {
  const file = resolve(flags.scenarios);
  const selected = selectScenarios(await readScenarios(file), { tags: [...flags.tags, ...flags.tag], excludeTags: flags.excludeTag });
  if (selected.length === 0) throw new AuthoringError([`No scenario of ${flags.scenarios} is left: none fits the tags. Look at \`niceeval scenarios list --scenarios ${flags.scenarios}\`.`]);
  const places = await placesOf(flags, file);
  const project = await discoverConfig(process.cwd());
  const toolCall = toolCallOf(flags);
  const profiles = createProfiles(project, { ...given('profile', flags.profile), ...given('agent', flags.agent), ...given('model', flags.model) }, toolCall === undefined ? {} : { toolCall });
  // A name that no scenario needs is a slip all the same.
  const byDefault = flags.profile === undefined ? undefined : profiles.of(undefined);
  if (typeof byDefault === 'string') throw new AuthoringError([`--profile ${flags.profile ?? ''}: ${byDefault}.`]);
  const backend = BACKENDS[flags.sandbox];
  const mcp = flags.enableMcp === true;
  const hooks = flags.enableHooks === true;
  const settings: ScenarioSettings = {
    mcp, hooks, allowCommands: flags.allowPostRunCommands === true,
    ...given('approvals', meant('--approval-policy', flags.approvalPolicy, approvalPolicyOf, 'never, on_request or always')),
    ...given('sandboxPolicy', meant('--sandbox-policy', flags.sandboxPolicy, sandboxPolicyOf, 'read_only, workspace_write, full_access or danger_full_access, or JSON such as {"kind":"workspace_write","network_access":true}')),
    ...given('compactAt', flags.autoCompactThreshold), ...given('syntheticPairs', flags.seedSyntheticPairs),
    ...given('scenarioTimeoutMs', flags.scenarioTimeoutMs), ...given('waitTimeoutMs', flags.waitTimeoutMs),
    workspace: await workspaceOf(flags.workspace, places.all),
  };
  const planned = await planScenarios(selected, { file, project, profiles, settings, backend: { name: flags.sandbox, fit: backend.fit, lacks: backend.lacks } });
  const services = createServices((name) => process.env[name]);
  const lacking = services.problemsOf(planned.plan.attempts);
  if (lacking.length > 0) throw new AuthoringError(lacking);
  if (toolCall === undefined && (flags.fakeToolId !== undefined || flags.fakeToolArguments !== undefined)) remark('--fake-tool-id and --fake-tool-arguments change nothing without --fake-emit-tool-call');
  if (toolCall !== undefined && ![...planned.profileOf.values()].includes(FAKE_PROFILE)) remark(`--fake-emit-tool-call changes nothing: no scenario has the profile "${FAKE_PROFILE}"`);

  const runId = newRunId();
  const record = join(recordsRoot(project.root), runId);
  const summary = createSummary();
  const total = planned.plan.attempts.length;
  let told = 0;
  return interruptible(async (signal, hasten) => {
    await using provider = await backend.open({ runId, buildsAtOnce: project.config.maxBuildConcurrency ?? BUILT_IN.maxBuildConcurrency });
    await provider.reap();
    const sink = await openRecordOrTell(record);
    await using lines = await openLines(places, write);
    // Awaited here: the provider must not be closed before the run has ended.
    const outcome = await runScenarios(planned, {
      runId, provider, signal, hasten, services, record, mcp, hooks,
      concurrency: flags.concurrency ?? project.config.maxConcurrency ?? BUILT_IN.maxConcurrency,
      sink,
      lines: lines.sink,
      failFast: flags.failFast === true,
      includeTrace: flags.includeTrace === true,
      ...given('defaultRetries', project.config.retries), ...given('budget', project.config.budget), ...given('pricing', project.config.pricing),
      onEvent: tellProgress,
      onResult: (result) => {
        summary.add(result);
        told += 1;
        remark(plainLine(`[${told}/${total}] ${result.passed ? 'passed' : 'FAILED'} ${result.scenario_id} (${result.profile}, ${result.elapsed_ms} ms)${result.passed ? '' : `: ${result.failures.join('; ')}`}`));
      },
    });
    remark(`record: ${plainLine(record)}`);
    return await conclude(outcome, summary.value(), { places, lines, write });
  });
}

/** What a word of the command line means. @throws AuthoringError for one that means nothing. */
function meant<T>(option: string, word: string | undefined, meaning: (word: string) => T | undefined, choices: string): T | undefined {
  if (word === undefined) return undefined;
  const found = meaning(word);
  if (found === undefined) throw new AuthoringError([`${option} ${word} means nothing: it must be ${choices}.`]);
  return found;
}

/** The call that the fake agent is to make; one that it cannot make is told whether or not it is to. @throws AuthoringError */
function toolCallOf({ fakeEmitToolCall, fakeToolId = 'fs.list', fakeToolArguments }: ScenariosRunFlags): FakeToolCall | undefined {
  const given: unknown = fakeToolArguments === undefined ? { path: '.' } : parseJson(fakeToolArguments);
  if (given === undefined) throw new AuthoringError(['--fake-tool-arguments is no JSON. Give it for instance {"path":"."}.']);
  const call = fakeToolCallOf(fakeToolId, given);
  if (typeof call === 'string' && (fakeEmitToolCall === true || fakeToolArguments !== undefined || !isFakeTool(fakeToolId))) throw new AuthoringError([`--fake-tool-id and --fake-tool-arguments: ${call}.`]);
  return fakeEmitToolCall === true && typeof call !== 'string' ? call : undefined;
}

function tellProgress(event: RunEvent): void {
  if (event.type === 'image.progress') remark(plainLine(event.line));
  if (event.type === 'run.warning') remark(`warning: ${plainLine(event.message)}`);
  if (event.type === 'attempt.retrying') remark(plainLine(`${event.evalId} is begun again: ${event.message}`));
}

/** Writes the figures, tells what is to be known, and gives the exit code. */
async function conclude({ interrupted, broken, notRun }: ScenarioRun, summary: ScenarioSummary, { places, lines, write }: { readonly places: Places; readonly lines: Lines; readonly write: Write }): Promise<number> {
  if (interrupted) {
    remark(`interrupted: ${summary.total} scenarios have a line; no summary is written`);
    return EXIT.interrupted;
  }
  const text = `${JSON.stringify(summary, null, 2)}\n`;
  await writeWhole(places.summary, text);
  await lines.report?.finish(`\n],"summary":${JSON.stringify(summary)}}\n`);
  if (places.output === undefined) process.stderr.write(text);
  else await new Promise<void>((done) => { write(text, done); });
  for (const line of broken) remark(`broken: ${plainLine(line)}`);
  for (const line of notRun) remark(`not run: ${plainLine(line)}`);
  if (broken.length > 0 || notRun.length > 0) return SCENARIO_EXIT.broken;
  return summary.failed > 0 ? SCENARIO_EXIT.failed : EXIT.ok;
}

function given<K extends string, T>(key: K, value: T | undefined): { readonly [key in K]?: T } {
  return value === undefined ? {} : { [key]: value } as { readonly [key in K]: T };
}
