import { resolve } from 'node:path';
import pc from 'picocolors';
import { discoverProject, type Project } from '../plan/discover.js';
import { servicesOf } from '../plan/plan.js';
import { plainLine } from '../report/plain-text.js';
import { engineHealth, type HealthCheck } from '../sandbox/docker/health.js';
import { createServices } from '../run/services.js';
import { EXIT } from './exit-codes.js';

const NAME_COLUMNS = 10;
const LEAST_NODE = [20, 19] as const;

/** `niceeval doctor`. */
export async function doctorCommand({ dir, json }: { readonly dir: string; readonly json?: boolean }): Promise<number> {
  const checks = [nodeCheck(process.versions.node), ...await engineHealth(), ...await projectChecks(resolve(dir))];
  if (json === true) process.stdout.write(`${JSON.stringify({ checks })}\n`);
  else for (const check of checks) process.stdout.write(linesOf(check));
  if (checks.every(({ state }) => state !== 'failed')) return EXIT.ok;
  return checks.some(({ name, state }) => name === 'engine' && state === 'failed') ? EXIT.noEngine : EXIT.failed;
}

function linesOf({ name, state, detail, remedy }: HealthCheck): string {
  const mark = state === 'ok' ? pc.green('ok     ') : state === 'warning' ? pc.yellow('warning') : pc.red('failed ');
  return `${mark}  ${name.padEnd(NAME_COLUMNS)}  ${plainLine(detail)}\n${remedy === undefined ? '' : `${' '.repeat(9 + NAME_COLUMNS + 2)}${plainLine(remedy)}\n`}`;
}

function nodeCheck(version: string): HealthCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isRecent = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return isRecent ? { name: 'node', state: 'ok', detail: version } : { name: 'node', state: 'failed', detail: version, remedy: `Node.js ${LEAST_NODE.join('.')} is the least.` };
}

/** A folder that is no project is no trouble: there is nothing to look at. */
async function projectChecks(root: string): Promise<readonly HealthCheck[]> {
  const project = await discoverProject(root).catch(() => undefined);
  if (project === undefined || (project.evals.length === 0 && project.experiments.length === 0)) return [{ name: 'project', state: 'ok', detail: `${root} holds none that can be loaded, so nobody looked` }];
  const configs = [project.config.judge, ...project.experiments.map(({ definition }) => definition.judge), ...project.evals.map(({ definition }) => (definition.judge === true ? undefined : definition.judge))];
  const keys = [...new Set(configs.flatMap((judge) => (judge === undefined ? [] : [judge.apiKeyEnv ?? 'NICEEVAL_JUDGE_KEY'])))];
  return [
    { name: 'project', state: 'ok', detail: `${project.evals.length} evals, ${project.experiments.length} experiments` },
    ...keys.map((key): HealthCheck => ((process.env[key] ?? '').trim() === ''
      ? { name: 'judge', state: 'warning', detail: `${key} is not set`, remedy: 'Set it; until then what a judge is asked is unavailable.' }
      : { name: 'judge', state: 'ok', detail: `${key} is set` })),
    ...modelChecks(project),
  ];
}

/** Whether there are keys for the models that experiments ask. */
function modelChecks({ experiments }: Project): readonly HealthCheck[] {
  const asking = experiments.flatMap(({ id, definition }) => {
    const services = servicesOf(definition);
    return services === undefined ? [] : [{ experimentId: id, services, experiment: definition }];
  });
  if (asking.length === 0) return [];
  const lacking = createServices((name) => process.env[name]).problemsOf(asking);
  if (lacking.length === 0) return [{ name: 'models', state: 'ok', detail: `there are keys for ${asking.length} experiments that ask real services` }];
  return lacking.map((problem): HealthCheck => {
    const end = problem.indexOf('. ') + 1;
    return { name: 'models', state: 'warning', detail: problem.slice(0, end - 1), remedy: problem.slice(end + 1) };
  });
}
