import { join, resolve } from 'node:path';
import { discoverProject } from '../plan/discover.js';
import { AuthoringError } from '../plan/errors.js';
import { profileId, profilesIn, withProfiles } from '../plan/profiles.js';
import { planRun, type Plan } from '../plan/plan.js';
import type { CassetteUse } from '../run/attempt-cassette.js';
import { run } from '../run/run.js';
import { createServices } from '../run/services.js';
import { BACKENDS, type Backend } from '../sandbox/backend.js';
import { withCleanOutput } from './clean-output.js';
import { BUILT_IN } from './defaults.js';
import { costForecast, wantsForecast } from './cost-forecast.js';
import { EXIT } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import { openRecordOrTell } from './open-record.js';
import { remark } from './output.js';
import { planJsonLines, planListing } from './plan-listing.js';
import type { RunFlags } from './program.js';
import { exitCodeOf } from './run-exit-code.js';
import { recordsRoot } from './records-root.js';
import { attemptsToPlan, priorOf, resumedPart } from './prior-runs.js';
import type { CassetteFlags } from './run-options.js';
import { newRunId } from './run-id.js';
import { plannedAttempts, spendingOf } from './spending.js';
import { openRunTelling } from './run-telling.js';

/** `niceeval run`. */
export function runCommand(selectors: readonly string[], flags: RunFlags): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  return flags.json === true ? withCleanOutput(() => runProject(selectors, flags, write)) : runProject(selectors, flags, write);
}

async function runProject(selectors: readonly string[], flags: RunFlags, write: (text: string) => unknown): Promise<number> {
  const backend: Backend = BACKENDS[flags.sandbox];
  if (flags.keepSandbox !== undefined && backend.lacks.includes('keep')) throw new AuthoringError([`--sandbox ${flags.sandbox} keeps no sandbox: leave --keep-sandbox out.`]);
  const root = recordsRoot(flags.dir);
  const prior = await priorOf(flags, root);
  const found = await discoverProject(resolve(flags.dir));
  const profiles = [...flags.profile, ...profilesIn(found, prior?.resumed ?? [])];
  const project = withProfiles(found, profiles, { keepExperiments: flags.experiment.length > 0 || prior?.resumed !== undefined });
  const attempts = plannedAttempts(flags) ?? (prior === undefined ? undefined : attemptsToPlan(prior));
  const whole = await planRun(project, {
    selectors,
    backend: { name: flags.sandbox, fit: backend.fit, lacks: backend.lacks },
    experiments: flags.experiment.length === 0 ? [] : [...flags.experiment, ...profiles.map(profileId)],
    tags: flags.tag,
    ...(attempts === undefined ? {} : { attempts }),
    ...(prior === undefined ? {} : { prior: prior.outcomes, reuse: prior.reuse }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    ...(flags.keepSandbox === undefined ? {} : { keepSandbox: flags.keepSandbox }),
    replays: flags.replay !== undefined || flags.replayOrForward !== undefined,
  });
  const plan = prior === undefined ? whole : resumedPart(whole, prior);
  if (plan.attempts.length === 0) throw new AuthoringError([`Nothing of ${flags.resume ?? 'the run'} is left in the project: look at \`niceeval show ${flags.resume ?? 'latest'}\`.`]);
  const spending = spendingOf(flags, project.config);
  if (wantsForecast(plan, spending.budget)) remark(await costForecast(plan, root, prior?.outcomes));
  if (flags.dryRun === true) return tellPlan(plan, flags.json === true, write);

  const services = createServices((name) => process.env[name]);
  const cassettes = cassetteUseOf(flags);
  const lacking = cassettes?.kind === 'replay' ? [] : services.problemsOf(plan.attempts.filter(({ decision }) => decision?.action !== 'reuse'));
  if (lacking.length > 0) throw new AuthoringError(lacking);

  const runId = newRunId();
  const folder = join(root, runId);
  await using telling = await openRunTelling({ flags, plan, write });
  const result = await interruptible(async (signal, hasten) => {
    await using provider = await backend.open({ runId, buildsAtOnce: flags.buildConcurrency ?? project.config.maxBuildConcurrency ?? BUILT_IN.maxBuildConcurrency });
    await provider.reap();
    // Awaited here: the provider must not be closed before the run has ended.
    return await run(plan, {
      runId,
      concurrency: flags.concurrency ?? project.config.maxConcurrency ?? BUILT_IN.maxConcurrency,
      provider,
      sink: await openRecordOrTell(folder),
      signal,
      hasten,
      services,
      ...(cassettes === undefined ? {} : { cassettes }),
      ...spending,
      ...(prior === undefined ? {} : { reused: (from) => Promise.resolve(prior.outcomes.summaryOf(from)) }),
      ...(flags.keepSandbox === undefined ? {} : { keep: flags.keepSandbox }),
      ...(project.config.pricing === undefined ? {} : { pricing: project.config.pricing }),
      onEvent: telling.onEvent,
    });
  });
  return await telling.end(result, { record: folder, exitCode: exitCodeOf(result, { forgiven: earlyExits(plan, flags.earlyExit) }) });
}

/** Folders are relative to where the command is run. */
function cassetteUseOf({ record, replay, replayOrForward }: CassetteFlags): CassetteUse | undefined {
  if (record !== undefined) return { kind: 'record', folder: resolve(record) };
  if (replay !== undefined) return { kind: 'replay', folder: resolve(replay) };
  return replayOrForward === undefined ? undefined : { kind: 'grow', folder: resolve(replayOrForward) };
}

/** Experiments that ask whether an eval can be passed at all. */
function earlyExits(plan: Plan, flag: boolean | undefined): ReadonlySet<string> {
  return new Set(plan.attempts.filter(({ experiment }) => flag ?? experiment.earlyExit === true).map(({ experimentId }) => experimentId));
}

function tellPlan(plan: Plan, json: boolean, write: (text: string) => unknown): number {
  write(json ? planJsonLines(plan) : planListing(plan));
  return EXIT.ok;
}
