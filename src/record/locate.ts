import { join } from 'node:path';
import { RecordAmbiguousError, RecordNotFoundError } from './errors.js';
import { attemptFoldersIn, foldersIn } from './part.js';
import { listRuns, type RunListing } from './read-run.js';

/** Where a run or an Attempt lies. Its names come from the disk, never from who asked. */
export type Located =
  | { readonly kind: 'run'; readonly runId: string; readonly folder: string }
  | { readonly kind: 'attempt'; readonly runId: string; readonly attemptId: string; readonly folder: string };

const MOST_LISTED = 20;

/**
 * Finds a run by its id, the beginning of one, or `latest`.
 *
 * @throws RecordNotFoundError, RecordAmbiguousError
 */
export async function locateRun(root: string, name: string): Promise<Extract<Located, { readonly kind: 'run' }>> {
  const runs = await runsIn(root);
  return picked(await fittingRuns(root, runs, name), name, runs);
}

/**
 * Finds a run as {@link locateRun} does, or an Attempt by its id or the beginning of one: among all runs, or with the
 * run and a slash before it among its own.
 *
 * @throws RecordNotFoundError, RecordAmbiguousError
 */
export async function locateRecord(root: string, name: string): Promise<Located> {
  const runs = await runsIn(root);
  const slash = name.indexOf('/');
  if (slash !== -1) {
    const run = picked(await fittingRuns(root, runs, name.slice(0, slash)), name.slice(0, slash), runs);
    return picked(await fittingAttempts(root, [run.runId], name.slice(slash + 1)), name, runs);
  }
  const ofRuns = await fittingRuns(root, runs, name);
  if (ofRuns.some(({ runId }) => runId === name) || name === 'latest') return picked(ofRuns, name, runs);
  return picked([...ofRuns, ...await fittingAttempts(root, runs, name)], name, runs);
}

/** @throws RecordNotFoundError where there is no run at all. */
async function runsIn(root: string): Promise<readonly string[]> {
  const runs = await foldersIn(root);
  if (runs.length === 0) throw new RecordNotFoundError(`No run is recorded in ${root}. \`niceeval run\` makes a record; --dir names another project.`);
  return runs;
}

async function fittingRuns(root: string, runs: readonly string[], name: string): Promise<readonly Extract<Located, { readonly kind: 'run' }>[]> {
  const latest = name === 'latest' && !runs.includes(name) ? latestOf(await listRuns(root)) : undefined;
  const exact = runs.filter((runId) => runId === (latest ?? name));
  const fitting = exact.length > 0 ? exact : name === '' ? [] : runs.filter((runId) => runId.startsWith(name));
  return fitting.map((runId) => ({ kind: 'run', runId, folder: join(root, runId) }));
}

/** One that died before it could say when it began holds nothing, and comes last only by its name. */
function latestOf(runs: readonly RunListing[]): string | undefined {
  return (runs.filter(({ startedAt }) => startedAt !== undefined).at(-1) ?? runs.at(-1))?.id;
}

async function fittingAttempts(root: string, runs: readonly string[], name: string): Promise<readonly Extract<Located, { readonly kind: 'attempt' }>[]> {
  const all = (await Promise.all(runs.map(async (runId) => (await attemptFoldersIn(join(root, runId))).map((attemptId) => ({ runId, attemptId }))))).flat();
  const exact = all.filter(({ attemptId }) => attemptId === name);
  const fitting = exact.length > 0 ? exact : name === '' ? [] : all.filter(({ attemptId }) => attemptId.startsWith(name));
  return fitting.map(({ runId, attemptId }) => ({ kind: 'attempt', runId, attemptId, folder: join(root, runId, 'attempts', attemptId) }));
}

function picked<L extends Located>(fitting: readonly L[], name: string, runs: readonly string[]): L {
  const [only, second] = fitting;
  if (only === undefined) throw new RecordNotFoundError(`No run and no Attempt is called "${name}". The last runs are ${runs.slice(-3).join(', ')}; \`niceeval runs\` lists all.`);
  if (second === undefined) return only;
  const names = fitting.map((located) => (located.kind === 'run' ? located.runId : `${located.runId}/${located.attemptId}`));
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
  throw new RecordAmbiguousError(`"${name}" fits ${names.length} of them: ${names.slice(0, MOST_LISTED).join(', ')}${more}. Say more of it.`, names);
}
