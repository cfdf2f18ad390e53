import { isCompactionFailure } from '../evidence/compaction-failure.js';
import type { InputRequest, StreamEvent } from '../evidence/events.js';
import { sessionOccurrencesOf, type EventOccurrence } from '../evidence/occurrence.js';
import type { SeenTurn } from './seen.js';

/**
 * The events of one session by their domain names, derived from the standard stream; what has no domain name keeps its own.
 *
 * A request to the model is told before what it gave: the first thing that an agent says or does after it heard something. Requests that were
 * counted beyond those are told at the end of their turn, since nobody knows when they were made.
 */
export function domainEventsOf(turns: readonly Pick<SeenTurn, 'status' | 'events' | 'usage'>[]): readonly string[] {
  if (turns.length === 0) return [];
  const { events: occurrences } = sessionOccurrencesOf(turns.flatMap(({ events }) => events));
  const teller = new DomainTeller();
  let at = 0;
  let waited = false;
  for (const turn of turns) {
    const own = occurrences.slice(at, at + turn.events.length);
    at += turn.events.length;
    teller.turn(own, { answers: waited, requests: turn.usage?.requests, usageKnown: turn.usage !== undefined });
    waited = turn.status === 'waiting';
  }
  return teller.names;
}

class DomainTeller {
  readonly names: string[] = ['SessionInitialized'];
  /** Permissions that were asked for and not answered yet. */
  #asked: (string | undefined)[] = [];
  /** Permissions that were refused, of calls whose end has not been told. */
  readonly #refused: (string | undefined)[] = [];
  /** What comes next was given by a request that is not told yet. */
  #heard = true;
  #requests = 0;

  turn(own: readonly EventOccurrence[], { answers, requests, usageKnown }: { readonly answers: boolean; readonly requests: number | undefined; readonly usageKnown: boolean }): void {
    this.#requests = 0;
    for (const [index, occurrence] of own.entries()) {
      // A turn that goes on after it waited begins with what was answered. Nobody is there to say yes.
      if (index === 0 && answers) this.#refuseAll();
      else this.#tell(occurrence);
    }
    for (let told = this.#requests; told < (requests ?? 0); told += 1) this.names.push('ModelRequestStarted');
    if (usageKnown) this.names.push('ModelUsageRecorded');
  }

  #tell({ event, call }: EventOccurrence): void {
    const isOwn = event.parentOperationId === undefined;
    switch (event.type) {
      case 'message':
        if (!isOwn) this.names.push(event.type);
        else if (event.role === 'user') this.#hear('UserMessageAdded');
        else this.#give('AssistantMessageCompleted');
        return;
      case 'thinking':
        if (isOwn) this.#give(event.type);
        else this.names.push(event.type);
        return;
      case 'operation.started':
        if (isOwn) this.#give('ModelToolCallRequested');
        else this.names.push('ModelToolCallRequested');
        if (call?.status !== 'rejected') this.names.push('ToolInvocationStarted');
        return;
      case 'operation.finished': return this.#finish(event, { call, isOwn });
      case 'input.requested':
        if (!isPermission(event.request)) return void this.names.push(event.type);
        this.#asked.push(event.request.action);
        return void this.names.push('PermissionRequested');
      case 'compaction':
        this.#hear('ContextCompactionStarted');
        return void this.names.push('ContextCompactionCompleted');
      case 'error':
        if (isCompactionFailure(event)) return void this.names.push('ContextCompactionStarted', 'ContextCompactionFailed');
        return void this.names.push(event.type);
      case 'skill.loaded':
      case 'context.injected':
        return void this.names.push(event.type);
    }
  }

  #finish(event: StreamEvent & { readonly type: 'operation.finished' }, { call, isOwn }: { readonly call: EventOccurrence['call']; readonly isOwn: boolean }): void {
    if (isOwn) this.#heard = true;
    if (event.status !== 'rejected') return void this.names.push(event.status === 'completed' ? 'ToolInvocationCompleted' : 'ToolInvocationFailed');
    const name = call?.operation.name;
    if (taken(this.#asked, name)) this.names.push('PermissionDenied');
    else if (!taken(this.#refused, name)) this.names.push('PermissionRequested', 'PermissionDenied');
  }

  #refuseAll(): void {
    this.names.push(...this.#asked.map(() => 'PermissionDenied'));
    this.#refused.push(...this.#asked);
    this.#asked = [];
    this.#heard = true;
  }

  /** The model has something new before it. */
  #hear(name: string): void {
    this.#heard = true;
    this.names.push(name);
  }

  /** The model gave something. */
  #give(name: string): void {
    if (this.#heard) {
      this.#requests += 1;
      this.names.push('ModelRequestStarted');
    }
    this.#heard = false;
    this.names.push(name);
  }
}

/** A request for leave, which can be refused; other requests are questions. */
export function isPermission({ options = [] }: InputRequest): boolean {
  return options.some(({ id }) => id === 'deny');
}

/** Takes the first of that name away, or the first of all: CLIs name an action otherwise when they ask for it. */
function taken(names: (string | undefined)[], name: string | undefined): boolean {
  if (names.length === 0) return false;
  names.splice(Math.max(0, names.indexOf(name)), 1);
  return true;
}
