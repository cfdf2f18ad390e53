import type { AnswerTurn, ErrorTurn, Lane, LaneCondition, ScriptedToolCall, Turn } from '../gateway/script.js';
import { DefinitionError } from './errors.js';

/** Further fields of a turn that says something. */
export type TurnExtras = Omit<AnswerTurn, 'error'>;
/** Further fields of a turn in which the service fails. */
export type FailureExtras = Omit<ErrorTurn, 'error'> & Omit<ErrorTurn['error'], 'status'>;

/** Turns, one after the other. Every method returns another builder and leaves this one as it was. */
export interface TurnsBuilder<Self> {
  /** Adds a turn, as a script file has it. */
  turn(turn: Turn): Self;
  /** Adds a turn that says a text. */
  says(text: string, more?: Omit<TurnExtras, 'text'>): Self;
  /** Adds a turn that calls one tool. @param input A text for a free-form tool. */
  calls(tool: string, input: ScriptedToolCall['input'], more?: Omit<TurnExtras, 'toolCalls'>): Self;
  /** Adds a turn in which the service fails. @param status 400 to 599. */
  fails(status: number, more?: FailureExtras): Self;
}

/** The turns of one lane. */
export interface LaneBuilder extends TurnsBuilder<LaneBuilder> {
  readonly turns: readonly Turn[];
}

/** A script written in code. Turns of its own answer the requests that no lane takes. */
export interface ScriptBuilder extends TurnsBuilder<ScriptBuilder> {
  /** Adds a lane behind those before it. @param when `undefined`: the lane takes what no other does; the script has no turns of its own then. */
  lane(name: string, when: LaneCondition | undefined, build: (lane: LaneBuilder) => LaneBuilder): ScriptBuilder;
  /** What a script file would hold. */
  toScript(): WrittenScript;
}

/** A script as its file has it. It is checked when the run is planned. */
export type WrittenScript = { readonly format: 'niceeval.script/v1' } & ({ readonly turns: readonly Turn[] } | { readonly lanes: readonly Lane[] });

/** Begins a script without a turn. */
export function script(): ScriptBuilder {
  return scriptOf([], []);
}

function scriptOf(lanes: readonly Lane[], turns: readonly Turn[]): ScriptBuilder {
  return {
    ...turnsBuilder((turn) => scriptOf(lanes, [...turns, turn])),
    lane(name, when, build) {
      const built = build(laneOf([]));
      if (!Array.isArray(built?.turns)) throw new DefinitionError(`script().lane(${JSON.stringify(name)}): the function must return the lane that it was given, with turns.`);
      return scriptOf([...lanes, copied({ name, ...(when === undefined ? {} : { when }), turns: built.turns })], turns);
    },
    toScript() {
      const format = 'niceeval.script/v1';
      if (lanes.length === 0) return copied({ format, turns });
      return copied({ format, lanes: turns.length === 0 ? lanes : [...lanes, { name: 'main', turns }] });
    },
  };
}

function laneOf(turns: readonly Turn[]): LaneBuilder {
  return { ...turnsBuilder((turn) => laneOf([...turns, turn])), turns };
}

function turnsBuilder<Self>(add: (turn: Turn) => Self): TurnsBuilder<Self> {
  return {
    turn: (turn) => add(copied(turn)),
    says: (text, more) => add(copied({ ...more, text })),
    calls: (name, input, more) => add(copied({ ...more, toolCalls: [{ name, input }] })),
    fails: (status, { delayMs, repeat, expects, ...error } = {}) => add(copied({
      error: { ...error, status }, ...(delayMs !== undefined && { delayMs }), ...(repeat !== undefined && { repeat }), ...(expects !== undefined && { expects }),
    })),
  };
}

/** What the author changes later is not seen. */
function copied<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch (cause) {
    throw new DefinitionError('script(): a turn and a condition must be data: texts, numbers, lists and objects of them.', { cause });
  }
}
