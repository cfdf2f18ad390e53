import { claimsSideRequest, matchesLane, misfitOf } from './lane-condition.js';
import { quoted } from './quoted.js';
import type { AnswerTurn, Lane, Script, Turn } from './script.js';
import type { ModelRequest } from './wire.js';

/** How one request is answered. */
export type Play =
  /** `key` is the same whenever the same script is played the same way; `turn` counts from 1. */
  | { readonly kind: 'turn'; readonly lane: string; readonly turn: number; readonly key: string; readonly answer: Turn }
  | { readonly kind: 'side'; readonly key: string; readonly answer: AnswerTurn }
  /** `message` is for the person who mends the script. */
  | { readonly kind: 'exhausted'; readonly lane?: string; readonly message: string }
  /** The request is not what the turn expects. The turn is not played. */
  | { readonly kind: 'misfit'; readonly lane: string; readonly turn: number; readonly message: string };

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
  /** The answer did not come as it should: when the same is asked again, and nothing else was in between, the lane plays its turn again. */
  markSpoilt(play: Play): void;
  progress(): readonly LaneProgress[];
}

interface OpenLane {
  readonly lane: Lane;
  readonly position: number;
  readonly total: number;
  played: number;
  /** What was played last, to which question. */
  last?: { readonly play: Play; readonly asked: string };
  isSpoilt: boolean;
  /** How often the turn that was played last was played before, and spoilt. */
  repeats: number;
}

/**
 * Starts a script at its first turns. A lane whose condition holds comes first, in the order of the script; then requests of the CLI's
 * own, which take no turn; then the lane without a condition.
 *
 * @param scriptName What messages call the script.
 */
export function createPlayback(script: Script, scriptName: string): Playback {
  const lanes = script.lanes.map((lane, index): OpenLane => ({ lane, position: index + 1, total: playsOf(lane), played: 0, isSpoilt: false, repeats: 0 }));
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
      const asked = questionOf(request);
      const isRepeated = open.isSpoilt && open.last?.asked === asked;
      const next = turnAt(lane, open.played - (isRepeated ? 1 : 0));
      if (next === undefined) return { kind: 'exhausted', lane: lane.name, message: noTurnMessage(scriptName, open, request) };
      const misfit = next.turn.expects === undefined ? undefined : misfitOf(next.turn.expects, request);
      if (misfit !== undefined) {
        const message = `Script "${scriptName}", lane "${lane.name}", turn ${next.index + 1}: it expects ${misfit}. The turn was not played.`;
        return { kind: 'misfit', lane: lane.name, turn: next.index + 1, message };
      }
      open.played += isRepeated ? 0 : 1;
      open.repeats = isRepeated ? open.repeats + 1 : 0;
      open.isSpoilt = false;
      const key = `lane${position}t${open.played}${open.repeats === 0 ? '' : `r${open.repeats}`}`;
      const play: Play = { kind: 'turn', lane: lane.name, turn: next.index + 1, key, answer: next.turn };
      open.last = { play, asked };
      return play;
    },
    markSpoilt(play) {
      const open = lanes.find(({ last }) => last?.play === play);
      if (open !== undefined) open.isSpoilt = true;
    },
    progress: () => lanes.map(({ lane, played, total }) => ({ lane: lane.name, played, total })),
  };
}

/** Equal for a request that is made once more, and for no later one of its conversation. */
function questionOf({ heard, asked }: ModelRequest): string {
  return JSON.stringify([heard, asked.kind, asked.text]);
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

function askedOf({ asked, model }: ModelRequest): string {
  return `The request (model ${quoted(model)}) ended with the ${asked.kind} ${quoted(asked.text)}.`;
}
