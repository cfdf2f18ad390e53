import { resolve } from 'node:path';
import { discoverProject } from '../plan/discover.js';
import { AuthoringError } from '../plan/errors.js';
import { planRun, type Plan } from '../plan/plan.js';
import { createServices } from '../run/services.js';
import { plainJsonLine, plainLine } from '../report/plain-text.js';
import { withCleanOutput } from './clean-output.js';
import { EXIT } from './exit-codes.js';

/** Options of `niceeval check`, as commander hands them over. */
export interface CheckFlags {
  readonly experiment: readonly string[];
  readonly tag: readonly string[];
  readonly json?: boolean;
  readonly dir: string;
}

/** `niceeval check`. */
export async function checkCommand(selectors: readonly string[], flags: CheckFlags): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  const json = flags.json === true;
  const checked = json ? await withCleanOutput(() => check(selectors, flags)) : await check(selectors, flags);
  const { problems, plan } = checked;
  const facts = {
    evals: new Set(plan?.attempts.map(({ evalId }) => evalId)).size,
    experiments: new Set(plan?.attempts.map(({ experimentId }) => experimentId)).size,
    attempts: plan?.attempts.length ?? 0,
  };
  if (json) {
    for (const message of plan?.warnings ?? []) write(`${plainJsonLine({ type: 'run.warning', message })}\n`);
    for (const message of problems) write(`${plainJsonLine({ type: 'check.problem', message })}\n`);
    write(`${plainJsonLine({ type: 'check.finished', ok: problems.length === 0, problems: problems.length, ...(plan === undefined ? {} : facts) })}\n`);
  } else {
    for (const message of plan?.warnings ?? []) write(`warning: ${plainLine(message)}\n`);
    for (const message of problems) process.stderr.write(`niceeval: ${plainLine(message)}\n`);
    if (plan !== undefined) write(`${counted(facts.evals, 'eval')} by ${counted(facts.experiments, 'experiment')}: ${counted(facts.attempts, 'Attempt')} would run\n`);
  }
  return problems.length === 0 ? EXIT.ok : EXIT.usage;
}

async function check(selectors: readonly string[], flags: CheckFlags): Promise<{ readonly problems: readonly string[]; readonly plan?: Plan }> {
  try {
    const project = await discoverProject(resolve(flags.dir));
    const plan = await planRun(project, { selectors, experiments: flags.experiment, tags: flags.tag });
    // Definitions without a key are good definitions; only a run needs it.
    return { problems: [], plan: { ...plan, warnings: [...plan.warnings, ...createServices((name) => process.env[name]).problemsOf(plan.attempts)] } };
  } catch (error) {
    if (error instanceof AuthoringError) return { problems: error.problems };
    throw error;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
