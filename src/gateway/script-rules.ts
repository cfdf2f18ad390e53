import type { z } from 'zod';

/** What no single field of a script can say: which fields go together. Each rule reports with a remedy. */
type Rule<T> = (value: T, context: z.core.$RefinementCtx<T>) => void;

interface WrittenTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly { readonly id?: string }[];
  readonly error?: object;
  readonly stall?: boolean;
  readonly repeat?: number;
  readonly expects?: object;
}

interface WrittenLane {
  readonly name?: string;
  readonly when?: object;
  readonly turns: readonly object[];
}

interface WrittenScript {
  readonly lanes?: readonly WrittenLane[];
  readonly turns?: readonly object[];
}

const NOT_BESIDE_ERROR = ['thinking', 'text', 'toolCalls', 'usage', 'stopReason', 'chunkDelayMs', 'cutAfterEvents', 'stall'];

/** An answer says something, an error says nothing else, and ids are not played twice. */
export const turnRules: Rule<WrittenTurn> = (turn, context) => {
  const report = (message: string, ...path: (string | number)[]) => context.addIssue({ code: 'custom', message, path });
  const { thinking, text, toolCalls, error, stall, expects, repeat = 1 } = turn;
  if (expects !== undefined && Object.keys(expects).length === 0) report('states nothing. Name what the request must have, or remove "expects".', 'expects');
  if (error !== undefined) {
    for (const key of NOT_BESIDE_ERROR.filter((name) => name in turn)) {
      report('cannot stand beside "error", which is the whole answer. Remove one of the two.', key);
    }
  } else if (thinking === undefined && text === undefined && toolCalls === undefined && stall !== true) {
    report('says nothing. Give it "text", "thinking", "toolCalls", "error" or "stall"; "text": "" is an empty answer.');
  }
  if (repeat === 1) return;
  for (const [index, { id }] of (toolCalls ?? []).entries()) {
    const message = 'would be sent more than once, because the turn has "repeat". Remove the id, so that each gets its own.';
    if (id !== undefined) report(message, 'toolCalls', index, 'id');
  }
};

/** Reasoning is a part of the output. */
export const usageRules: Rule<{ readonly outputTokens: number; readonly reasoningTokens?: number }> = (usage, context) => {
  if (usage.reasoningTokens === undefined || usage.reasoningTokens <= usage.outputTokens) return;
  const message = `is more than "outputTokens" (${usage.outputTokens}), of which it is a part. Raise "outputTokens" or lower this.`;
  context.addIssue({ code: 'custom', message, path: ['reasoningTokens'] });
};

/** A condition states something. */
export const laneRules: Rule<WrittenLane> = (lane, context) => {
  if (lane.when === undefined || Object.keys(lane.when).length > 0) return;
  const message = 'states no condition. Name one, or remove "when" to answer every other request.';
  context.addIssue({ code: 'custom', message, path: ['when'] });
};

/** One of the two forms, every lane reachable and told apart, no tool call id twice. */
export const scriptRules: Rule<WrittenScript> = (script, context) => {
  const report = (message: string, ...path: (string | number)[]) => context.addIssue({ code: 'custom', message, path });
  const { lanes, turns } = script;
  if ((lanes === undefined) === (turns === undefined)) {
    report(lanes ? 'has both "lanes" and "turns". Keep one of them.' : 'has no turns. Add "turns", or "lanes" that have them.');
    return;
  }
  const open = (lanes ?? []).flatMap((lane, index) => (lane.when === undefined ? [index] : []));
  for (const index of open.slice(1)) {
    report(`is never reached: lanes[${open[0]}] has no "when" either and takes every request. Give one of them a "when".`, 'lanes', index);
  }
  const names = new Map<string, number>();
  for (const [index, { name }] of (lanes ?? []).entries()) {
    if (name === undefined) continue;
    const first = names.get(name);
    if (first === undefined) names.set(name, index);
    else report(`is also the name of lanes[${first}]. Give each lane its own name.`, 'lanes', index, 'name');
  }
  reportRepeatedIds(script, report);
};

function reportRepeatedIds({ lanes, turns }: WrittenScript, report: (message: string, ...path: (string | number)[]) => void): void {
  const seen = new Set<string>();
  const held: [prefix: (string | number)[], turns: readonly WrittenTurn[]][] = lanes
    ? lanes.map((lane, index) => [['lanes', index, 'turns'], lane.turns])
    : [[['turns'], turns ?? []]];
  for (const [prefix, list] of held) {
    for (const [turnIndex, turn] of list.entries()) {
      for (const [index, { id }] of (turn.toolCalls ?? []).entries()) {
        if (id === undefined) continue;
        const message = 'is already the id of a tool call before it. Use each id once, or leave ids out.';
        if (seen.has(id)) report(message, ...prefix, turnIndex, 'toolCalls', index, 'id');
        seen.add(id);
      }
    }
  }
}
