import { AuthoringError } from '../plan/errors.js';
import { locateRun } from '../record/locate.js';
import { readRun, type RunRecord } from '../record/read-run.js';
import { comparePage } from '../report/compare/compare-page.js';
import { compareSides, type SideComparison } from '../report/compare/comparison.js';
import type { ComparedSide } from '../report/compare/side.js';
import { plainJsonLine, plainLine } from '../report/plain-text.js';
import { EXIT } from './exit-codes.js';
import { remark, say } from './output.js';
import { profileFrom } from './pricing-option.js';
import { recordsRoot } from './records-root.js';

/** Options of `niceeval compare`. */
export interface CompareFlags {
  readonly by: 'eval' | 'experiment';
  readonly level: number;
  readonly pricing?: string;
  readonly json?: boolean;
  readonly dir: string;
}

/** `niceeval compare`. */
export async function compareCommand(names: readonly [string, string], { by, level, pricing: file, json, dir }: CompareFlags): Promise<number> {
  const pricing = await profileFrom(file);
  const root = recordsRoot(dir);
  const [a, b] = [await sideOf(root, names[0]), await sideOf(root, names[1])];
  if (a.name === b.name) throw new AuthoringError([`${names[0]} and ${names[1]} are the same. Name two runs, or two experiments of one as RUN:EXPERIMENT.`]);
  const options = { level, pricing };
  const { comparisons, onlyA, onlyB } = by === 'eval' ? { comparisons: [compareSides(a, b, options)], onlyA: [], onlyB: [] } : byExperiment(a, b, options);
  if (json === true) {
    await say(`${plainJsonLine({ format: 'niceeval.compare', by, comparisons, experimentsOnlyInA: onlyA, experimentsOnlyInB: onlyB })}\n`);
    return EXIT.ok;
  }
  for (const [side, only] of [['A', onlyA], ['B', onlyB]] as const) if (only.length > 0) remark(`only in ${side}: ${plainLine(only.join(', '))}`);
  await say(comparisons.map(comparePage).join('\n\n'));
  return EXIT.ok;
}

/** `RUN`, or `RUN:EXPERIMENT`: no name of a run has a colon. */
async function sideOf(root: string, name: string): Promise<ComparedSide> {
  const colon = name.indexOf(':');
  const run = await readRun((await locateRun(root, colon === -1 ? name : name.slice(0, colon))).folder);
  const experimentId = colon === -1 ? undefined : name.slice(colon + 1);
  const attempts = run.attempts.filter((attempt) => experimentId === undefined || attempt.experimentId === experimentId);
  if (attempts.length === 0) {
    const there = [...new Set(run.attempts.map((attempt) => attempt.experimentId))].sort();
    throw new AuthoringError([experimentId === undefined || there.length === 0
      ? `The run ${run.id} has no Attempt that ended: there is nothing to compare.`
      : `The run ${run.id} has no Attempt by "${experimentId}" that ended. There are: ${there.join(', ')}.`]);
  }
  return { name: experimentId === undefined ? run.id : `${run.id}:${experimentId}`, ...(run.sandbox === undefined ? {} : { sandbox: run.sandbox }), attempts, remarks: remarksOf(run) };
}

function remarksOf({ state, interrupted = false, inFlight, notStarted, notRun, regradedFrom, problems }: RunRecord): readonly string[] {
  const early = notRun.filter(({ reason }) => reason === 'early-exit').length;
  const lost = notRun.filter(({ reason }) => reason !== 'early-exit' && reason !== 'enough').length;
  return [
    ...(regradedFrom === undefined ? [] : [`the evidence of ${regradedFrom}, judged again`]),
    ...(early === 0 ? [] : [`early exit left out ${early} Attempts, so that its pass rate is not one of independent tries, and intervals do not hold`]),
    ...(lost === 0 ? [] : [`${lost} planned Attempts were not run`]),
    ...(state === 'incomplete' ? ['the run did not end in order'] : interrupted ? ['the run was interrupted'] : []),
    ...(inFlight.length === 0 ? [] : [`${inFlight.length} Attempts have no end and are left out`]),
    ...(notStarted.length === 0 ? [] : [`${notStarted.length} planned Attempts were not started`]),
    ...problems,
  ];
}

/** Each experiment against the one of the same name. */
function byExperiment(a: ComparedSide, b: ComparedSide, options: Parameters<typeof compareSides>[2]): { readonly comparisons: readonly SideComparison[]; readonly onlyA: readonly string[]; readonly onlyB: readonly string[] } {
  const idsOf = ({ attempts }: ComparedSide): readonly string[] => [...new Set(attempts.map(({ experimentId }) => experimentId))].sort();
  const [ofA, ofB] = [idsOf(a), idsOf(b)];
  const both = ofA.filter((id) => ofB.includes(id));
  if (both.length === 0) throw new AuthoringError([`No experiment is on both sides: A has ${ofA.join(', ')}, B has ${ofB.join(', ')}. Leave --by experiment out to compare them eval by eval.`]);
  const only = (side: ComparedSide, id: string): ComparedSide => ({ ...side, name: side.name.includes(':') ? side.name : `${side.name}:${id}`, attempts: side.attempts.filter(({ experimentId }) => experimentId === id) });
  return { comparisons: both.map((id) => compareSides(only(a, id), only(b, id), options)), onlyA: ofA.filter((id) => !ofB.includes(id)), onlyB: ofB.filter((id) => !ofA.includes(id)) };
}
