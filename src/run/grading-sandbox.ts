import { posix } from 'node:path';
import { NiceEvalError } from '../lifetime/error.js';
import type { Scope } from '../lifetime/scope.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { NetworkPlan, OwnedSandbox } from '../sandbox/sandbox.js';
import { AttemptNetwork, CLOSED } from './attempt-network.js';
import type { AttemptWorld } from './attempt-world.js';

const EMPTYING_ROUNDS = 4;

/** A test that grades in a fresh sandbox sent something after it had begun to grade. */
export class GradingBegunError extends NiceEvalError {
  readonly code = 'grading-begun';
  constructor() {
    super('The eval grades in a fresh sandbox (`gradeIn: "fresh"`), and t.sandbox was used after a send: from then on it is the fresh one, which the agent never sees. Send everything first, then use t.sandbox.');
  }
}

/** The sandbox for grading, and its network where it has one. */
export interface GradingSandbox {
  readonly sandbox: OwnedSandbox;
  readonly phases?: AttemptNetwork;
}

/** The working directory of the agent cannot be laid into a fresh sandbox. */
export class CollectError extends NiceEvalError {
  readonly code = 'collect-workspace';
}

/**
 * Opens a second sandbox of the same image and lays the agent's working directory into it: its files and links, with owners and modes,
 * and nothing else. What the agent did to its home, to temporary folders or to running processes is not in it.
 *
 * @param options.agentSandbox Nothing of the agent runs in it any more.
 * @throws CollectError, or an engine error.
 */
export async function openGradingSandbox(
  attempt: PlannedAttempt,
  options: { readonly world: AttemptWorld; readonly scope: Scope; readonly agentSandbox: OwnedSandbox; readonly lifetimeMs: number; readonly signal: AbortSignal },
): Promise<GradingSandbox> {
  const { world, scope, agentSandbox, lifetimeMs, signal } = options;
  const { workdir } = agentSandbox;
  if (workdir === '/') throw new CollectError('The working directory is the root of the image, so it cannot be laid into a fresh sandbox. Give docker({ workdir }) a folder of its own.');
  const image = await world.provider.prepareImage(attempt.sandbox);
  const { network, phases } = await gradingNetwork(attempt, world, scope);
  const sandbox = scope.use('remove the sandbox for grading', await world.provider.openSandbox(attempt.sandbox, { image, network, attemptId: attempt.id, lifetimeMs, signal }));
  await empty(sandbox, signal); // What the agent deleted must be gone here too.
  if (sandbox.unpack === undefined) throw new CollectError('The backend cannot lay files into a fresh sandbox. Leave `gradeIn` out, or take another backend.');
  await sandbox.unpack(await agentSandbox.archive(workdir), posix.dirname(workdir));
  return { sandbox, ...(phases === undefined ? {} : { phases }) };
}

/** Root has no power over folders of the agent, and the agent none over those of root: what one empties the other removes. */
async function empty(sandbox: OwnedSandbox, signal: AbortSignal): Promise<void> {
  let trouble = '';
  for (let round = 0; round < EMPTYING_ROUNDS; round += 1) {
    for (const user of [sandbox.agentUser, 'root']) {
      const { exitCode, stderr } = await sandbox.runCommand('find', [sandbox.workdir, '-mindepth', '1', '-delete'], { signal, user });
      if (exitCode === 0) return;
      trouble = stderr;
    }
  }
  throw new CollectError(`The working directory of the fresh sandbox could not be emptied: ${trouble.trim().slice(-300)}`);
}

/** None, unless the phase of grading has one. */
async function gradingNetwork(attempt: PlannedAttempt, world: AttemptWorld, scope: Scope): Promise<{ readonly network: NetworkPlan; readonly phases?: AttemptNetwork }> {
  if (world.provider.openClosedNetwork === undefined) return { network: { kind: 'host' } };
  const { grade = 'none' } = attempt.network ?? {};
  if (grade === 'none' || grade === 'model-only') return { network: { kind: 'none' } };
  const lease = await world.models.lease();
  const opened: { network?: AttemptNetwork } = {};
  scope.defer('give the network for grading back', () => opened.network?.leave() ?? lease.drop());
  if (lease.network.kind !== 'closed') return { network: lease.network };
  opened.network = await AttemptNetwork.begin(lease, { ...CLOSED, grade }, lease.network.network);
  await opened.network.enter('grade');
  return { network: lease.network, phases: opened.network };
}
