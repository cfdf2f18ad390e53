import type { RunEvent } from '../../run/ports.js';
import { clip, plainLine } from '../plain-text.js';

const SAID_CHARACTERS = 160;

/** An Attempt that is under way. */
export interface RunningAttempt {
  readonly attempt: string;
  readonly evalId: string;
  readonly experimentId: string;
  /** From 1. */
  readonly index: number;
  /** Milliseconds of the board's clock. */
  readonly since: number;
  /** Its last progress. Absent: it said nothing yet. */
  readonly said?: string;
}

/** How far a run is. */
export interface Board {
  /** Takes in what happened. */
  tell(event: RunEvent): void;
  /** The run ends: cleaning up is all that goes on. */
  readonly stage: 'starting' | 'running' | 'ending';
  readonly stageSince: number;
  readonly planned: number;
  readonly counts: { readonly passed: number; readonly failed: number; readonly errored: number; readonly skipped: number };
  /** The longest first. */
  readonly running: readonly RunningAttempt[];
  /** What an image or the set-up of an experiment is at, while nothing has started since. */
  readonly image: { readonly line: string; readonly since: number } | undefined;
}

/** @param now A clock in milliseconds. */
export function createBoard(now: () => number): Board {
  const running = new Map<string, RunningAttempt>();
  const counts = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  let stage: Board['stage'] = 'starting';
  let stageSince = now();
  let planned = 0;
  let image: Board['image'];
  const enter = (next: Board['stage']): void => {
    stage = next;
    stageSince = now();
  };
  return {
    tell: (event) => {
      switch (event.type) {
        case 'run.started':
          planned = event.planned;
          enter('running');
          break;
        case 'image.progress':
          image = { line: plainLine(clip(event.line, SAID_CHARACTERS)), since: image?.since ?? now() };
          break;
        case 'attempt.started':
          image = undefined;
          running.set(event.attempt, { attempt: event.attempt, evalId: event.evalId, experimentId: event.experimentId, index: event.index, since: now() });
          break;
        case 'attempt.progress': {
          const { message, current, total } = event.progress;
          const known = running.get(event.attempt);
          const count = current === undefined ? '' : ` (${current}${total === undefined ? '' : ` of ${total}`})`;
          if (known !== undefined) running.set(event.attempt, { ...known, said: `${plainLine(clip(message, SAID_CHARACTERS))}${count}` });
          break;
        }
        case 'attempt.finished':
          running.delete(event.result.id);
          counts[event.result.verdict] += 1;
          break;
        case 'attempt.retrying':
          running.delete(event.attempt);
          break;
        case 'attempt.reused':
          counts[event.summary.verdict] += 1;
          break;
        case 'attempt.not-run':
          planned -= 1;
          break;
        case 'experiment.progress':
          image = { line: plainLine(clip(`${event.experimentId}: ${event.message}`, SAID_CHARACTERS)), since: now() };
          break;
        case 'run.finished':
          running.clear();
          image = undefined;
          enter('ending');
          break;
        default:
      }
    },
    get stage() { return stage; },
    get stageSince() { return stageSince; },
    get planned() { return planned; },
    get counts() { return { ...counts }; },
    get running() { return [...running.values()]; },
    get image() { return image; },
  };
}

/** How many planned Attempts have neither ended nor started. */
export function waitingOf({ planned, counts, running }: Board): number {
  return Math.max(0, planned - doneOf(counts) - running.length);
}

export function doneOf({ passed, failed, errored, skipped }: Board['counts']): number {
  return passed + failed + errored + skipped;
}

/** A running clock: `8 s`, `2 min 5 s`, `1 h 2 min`. */
export function clockText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
