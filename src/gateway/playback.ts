import { claimsSideRequest, matchesLane } from './lane-condition.js';
import type { AnswerTurn, Lane, Script, Turn } from './script.js';
import type { ModelRequest } from './wire.js';

/** How one request is answered. */
export type Play =
  /** `key` is the same whenever the same script is played the same way; `turn` counts from 1. */
  | { readonly kind: 'turn'; readonly lane: string; readonly turn: number; readonly key: string; readonly answer: Turn }
  | { readonly kind: 'side'; readonly key: string; readonly answer: AnswerTurn }
  /** `message` is for the person who mends the script. */
  | { readonly kind: 'exhausted'; readonly lane?: string; readonly message: string };

/** How far a lane has been played. Repeats count. */
export interface LaneProgress {
  readonly lane: string;
  readonly played: number;
  readonly total: number;
}

/** One script being played: a cursor for each lane. */
export interface Playback {
  /** What messages call the script. */
  readonly scriptName: string;
  /** Takes the next turn of the lane that the request belongs to. */
  take(request: ModelRequest): Play;
  progress(): readonly LaneProgress[];
}

interface OpenLane {
  readonly lane: Lane;
  readonly position: number;
  readonly total: number;
  played: number;
}

/**
 * Starts a script at its first turns. A lane whose condition holds comes first, in the order of the script; then requests of the CLI's
 * own, which take no turn; then the lane without a condition.
 *
 * @param scriptName What messages call the script.
 */
export function createPlayback(script: Script, scriptName: string): Playback {
  const lanes = script.lanes.map((lane, index): OpenLane => ({ lane, position: index + 1, total: playsOf(lane), played: 0 }));
  let sidesPlayed = 0;

  const claims = ({ lane: { when } }: OpenLane, request: ModelRequest): boolean => {
    if (when === undefined || !matchesLane(when, request)) return false;
    return request.side === undefined || claimsSideRequest(when, request.side.quotesUser);
  };

  return {
    scriptName,
    take(request) {
      const claimed = lanes.find((lane) => claims(lane, request));
      if (claimed === undefined && request.side !== undefined) {
        sidesPlayed += 1;
        return { kind: 'side', key: `side${sidesPlayed}`, answer: request.side.answer };
      }
      const open = claimed ?? lanes.find(({ lane }) => lane.when === undefined);
      if (open === undefined) return { kind: 'exhausted', message: noLaneMessage(scriptName, lanes, request) };
      const { lane, position } = open;
      const next = turnAt(lane, open.played);
      if (next === undefined) return { kind: 'exhausted', lane: lane.name, message: noTurnMessage(scriptName, open, request) };
      open.played += 1;
      return { kind: 'turn', lane: lane.name, turn: next.index + 1, key: `lane${position}t${open.played}`, answer: next.turn };
    },
    progress: () => lanes.map(({ lane, played, total }) => ({ lane: lane.name, played, total })),
  };
}

function playsOf(lane: Lane): number {
  return lane.turns.reduce((sum, { repeat = 1 }) => sum + repeat, 0);
}

function turnAt(lane: Lane, played: number): { readonly turn: Turn; readonly index: number } | undefined {
  let before = 0;
  for (const [index, turn] of lane.turns.entries()) {
    before += turn.repeat ?? 1;
    if (played < before) return { turn, index };
  }
  return undefined;
}

function noTurnMessage(scriptName: string, { lane, total }: OpenLane, request: ModelRequest): string {
  const had = total === 1 ? 'its 1 turn was' : `all of its ${total} turns were`;
  const remedy = 'Add a turn to the lane, or give its last turn a "repeat".';
  return `Script "${scriptName}" has no turn left in lane "${lane.name}": ${had} played. ${askedOf(request)} ${remedy}`;
}

function noLaneMessage(scriptName: string, lanes: readonly OpenLane[], request: ModelRequest): string {
  const names = lanes.map(({ lane }) => `"${lane.name}"`).join(', ');
  const remedy = 'Add a lane without "when" for such requests, or correct a "when".';
  return `Script "${scriptName}" has no lane for this request: no "when" of ${names} holds. ${askedOf(request)} ${remedy}`;
}

const SHOWN = 200;

function askedOf({ asked, model }: ModelRequest): string {
  return `The request (model ${quoted(model)}) ended with the ${asked.kind} ${quoted(asked.text)}.`;
}

/** The text on one line, cut between characters. */
function quoted(text: string): string {
  const characters = Array.from(text.slice(0, 4 * SHOWN).replace(/\s+/g, ' ').trim());
  const shown = characters.slice(0, SHOWN).join('');
  return JSON.stringify(characters.length > SHOWN || text.length > 4 * SHOWN ? `${shown}...` : shown);
}
