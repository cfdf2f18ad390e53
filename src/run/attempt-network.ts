import type { DeniedDestination } from '../gateway/egress/denied.js';
import { isSameAccess, NETWORK_PHASES, type NetworkAccess, type NetworkPhase, type NetworkPhases } from '../sandbox/network-access.js';
import type { Scope } from '../lifetime/scope.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { ClosedNetwork, NetworkPlan, NetworkState } from '../sandbox/sandbox.js';
import type { AttemptWorld } from './attempt-world.js';
import type { GatewayLease } from './model-access.js';
import type { ModelLease } from './model-lease.js';
import type { GatewayCount } from './result.js';

/** What is known of an Attempt's network. */
export interface NetworkFacts {
  /** Where it could talk to in each phase. */
  readonly access: NetworkPhases;
  /**
   * What was asked for by name, or by a connection to a relay, and denied. Addresses that were tried without a name are not
   * here: there is no way to them.
   */
  readonly denied: readonly (DeniedDestination & { readonly phase: NetworkPhase })[];
}

/** The gateway and nothing else: what holds where nobody says otherwise. */
export const CLOSED: NetworkPhases = { prepare: 'model-only', agent: 'model-only', grade: 'model-only' };

/** What an Attempt has of networks. */
export interface OpenedNetwork {
  /** For its sandbox. */
  readonly plan: NetworkPlan;
  /** Absent: nobody is in its network, or it has none. */
  readonly phases?: AttemptNetwork;
  readonly model?: ModelLease;
  /** Its sandbox lives on for people: no other Attempt may meet it, so the network is used no more and goes with the backend. */
  readonly retire: () => void;
}

/**
 * Opens the network of an Attempt: with the gateway in it where a model is asked or somebody says what the network is; else one
 * that nobody is in where there are such; else none. The scope gives it back.
 *
 * @throws GatewayRefusedError when the script cannot be played, GatewayGoneError, or an engine error.
 */
export async function openAttemptNetwork(attempt: PlannedAttempt, world: Pick<AttemptWorld, 'provider' | 'models' | 'deserted' | 'forbidsSend'> & { readonly onWire: (spent: GatewayCount) => void }, scope: Scope): Promise<OpenedNetwork> {
  const { script, services, network } = attempt;
  const asksModel = script !== undefined || services !== undefined;
  let isRetired = false;
  const retire = (): void => { isRetired = true; };
  if (!asksModel && network === undefined) {
    if (world.provider.openClosedNetwork === undefined) return { plan: { kind: 'host' }, retire };
    if (world.deserted === undefined) return { plan: { kind: 'none' }, retire };
    const lease = await world.deserted.lease();
    scope.defer('give the network back', () => { if (!isRetired) lease.giveBack(); });
    return { plan: lease.network, retire };
  }
  const lease = await world.models.lease();
  const opened: { phases?: AttemptNetwork } = {};
  scope.defer('give the network back', () => opened.phases?.leave({ retire: isRetired }) ?? (isRetired ? undefined : lease.drop()));
  // A backend that can close no network has none to open and shut.
  if (lease.network.kind === 'closed') opened.phases = await AttemptNetwork.begin(lease, { ...CLOSED, ...network }, lease.network.network);
  return {
    plan: lease.network,
    ...opened,
    retire,
    ...(asksModel ? { model: await world.models.open(attempt, lease, { onSpent: world.onWire, ...(world.forbidsSend === undefined ? {} : { mayGo: world.forbidsSend }) }) } : {}),
  };
}

/** The facts of all networks of an Attempt; the first says what it could reach. `undefined`: there is none. */
export function networkFactsOf(networks: readonly (AttemptNetwork | undefined)[]): NetworkFacts | undefined {
  const [first, ...others] = networks.flatMap((network) => (network === undefined ? [] : [network.facts]));
  return first === undefined ? undefined : { ...first, denied: [...first.denied, ...others.flatMap(({ denied }) => denied)] };
}

/** The network of one Attempt: opened and shut from phase to phase, and what was denied in each. */
export class AttemptNetwork {
  readonly #lease: GatewayLease;
  readonly #network: ClosedNetwork;
  readonly #plan: NetworkPhases;
  readonly #denied = new Map<string, { readonly phase: NetworkPhase; readonly via: DeniedDestination['via']; readonly host: string; count: number }>();
  #phase: NetworkPhase = 'prepare';
  #access: NetworkAccess = 'model-only';
  /** Conversations whose CLI is alive and waits: what is theirs stays as it is. */
  readonly #waiting = new Set<string>();
  #isKnown = false;
  /** Why it is not known what state it is in. */
  #failure: unknown = new Error('the network was never begun');

  private constructor(lease: GatewayLease, plan: NetworkPhases, network: ClosedNetwork) {
    this.#lease = lease;
    this.#network = network;
    this.#plan = plan;
  }

  /** Begins in the first phase, closed; it is opened when something is run. @throws GatewayRefusedError, GatewayGoneError. */
  static async begin(lease: GatewayLease, plan: NetworkPhases, network: ClosedNetwork): Promise<AttemptNetwork> {
    const begun = new AttemptNetwork(lease, plan, network);
    await lease.gateway.control.allow(network.serviceAddress, []);
    begun.#isKnown = true;
    return begun;
  }

  /**
   * Opens or shuts what the phase wants. Does nothing while an agent waits for an answer, unless it is to go on.
   *
   * @param conversation Of the agent that begins or goes on. Absent: the test itself.
   * @throws an engine or gateway error, and the same again from then on: nobody knows what state the network is in.
   */
  async enter(phase: NetworkPhase, conversation?: string): Promise<void> {
    if (!this.#isKnown) throw this.#failure;
    if (conversation !== undefined) this.#waiting.delete(conversation);
    else if (this.#waiting.size > 0) return;
    const wanted = this.#plan[phase];
    try {
      if (phase !== this.#phase || !isSameAccess(wanted, this.#access)) await this.#change(wanted);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#phase = phase;
  }

  /** The CLI of a conversation lives on and waits. */
  hold(conversation: string): void {
    this.#waiting.add(conversation);
  }

  /** Takes the last of what was denied and gives the network back, or drops it where it could not be closed. @param options.retire Does neither. */
  async leave(options: { readonly retire?: boolean } = {}): Promise<void> {
    try {
      if (this.#isKnown) await this.#change('model-only');
    } catch {
      // What could not be closed is dropped; the phases before are told all the same.
    }
    if (options.retire === true) return;
    if (this.#isKnown) this.#lease.giveBack();
    else await this.#lease.drop();
  }

  get facts(): NetworkFacts {
    return { access: this.#plan, denied: [...this.#denied.values()].sort((a, b) => NETWORK_PHASES.indexOf(a.phase) - NETWORK_PHASES.indexOf(b.phase)) };
  }

  async #change(access: NetworkAccess): Promise<void> {
    this.#isKnown = false;
    const [network, { gateway }] = [this.#network, this.#lease];
    const hosts = typeof access === 'string' ? [] : access.allow;
    if (hosts.length > 0) await gateway.letOut();
    const [before, after] = [stateOf(this.#access), stateOf(access)];
    // What is taken away goes first, and what was denied until then belongs to the phase before.
    if (before !== after && after !== 'open') await network.switchTo(after);
    this.#note(await gateway.control.allow(network.serviceAddress, hosts));
    if (before !== after && after === 'open') await network.switchTo(after);
    this.#access = access;
    this.#isKnown = true;
  }

  #note(denied: readonly DeniedDestination[]): void {
    for (const { via, host, count } of denied) {
      const key = JSON.stringify([this.#phase, via, host]);
      const known = this.#denied.get(key);
      if (known === undefined) this.#denied.set(key, { phase: this.#phase, via, host, count });
      else known.count += count;
    }
  }
}

function stateOf(access: NetworkAccess): NetworkState {
  if (access === 'none') return 'cut';
  return access === 'open' ? 'open' : 'closed';
}
