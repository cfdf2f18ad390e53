import { addUsage, type Usage } from '../../evidence/usage.js';
import { countOf, fieldsOf, nameOf, type Fields } from '../fields.js';
import { modelIdOf, SYNTHETIC_MODEL } from './wire.js';

/** Usage of a process, and why it may not be all of it. */
export interface ToldUsage {
  readonly usage?: Usage;
  /** Absent: complete. */
  readonly gap?: string;
}

/** Collects what a process used while its record is read. */
export interface UsageMeter {
  /**
   * An assistant message; every line of a message repeats it.
   *
   * @param record The fullest account of it: the session file has the final counts.
   * @param printed Its line on stdout, when it has one.
   */
  message(record: Fields, printed?: Fields): void;
  /** A line of the user's, as printed: the answer before it is whole. */
  heard(printed: Fields): void;
  /** A raw stream event (`--include-partial-messages`). */
  streamEvent(event: Fields | undefined): void;
  /** @param wholeSoFar Nothing but the answers on record can have cost anything. */
  total(lastResult: Fields | undefined, wholeSoFar: boolean): ToldUsage;
}

/** The counts of one answer, as last stated. */
interface AnswerUsage {
  readonly model: string | undefined;
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheCreation: number | undefined;
  readonly outputKnown: boolean;
}

// The Messages API opens a stream with a placeholder of a few output tokens and tells the real count at its end.
const LARGEST_PLACEHOLDER = 16;

export function createUsageMeter(): UsageMeter {
  const answers = new Map<string, AnswerUsage>();
  let streaming: string | undefined;
  let streamWasCut = false;
  let brokeOff = false;
  /** The conversation's own answer is being told. */
  let answering = false;

  const take = (message: Fields, final: boolean): void => {
    const id = nameOf(message['id']);
    const usage = fieldsOf(message['usage']);
    if (id === undefined || usage === undefined || message['model'] === SYNTHETIC_MODEL) return;
    const output = countOf(usage['output_tokens']);
    const outputKnown = final || (output ?? 0) > LARGEST_PLACEHOLDER;
    const known = answers.get(id);
    if (known?.outputKnown === true && !(outputKnown && (output ?? 0) >= (known.output ?? 0))) return;
    answers.set(id, {
      model: modelIdOf(message['model']) ?? known?.model,
      input: countOf(usage['input_tokens']),
      output,
      cacheRead: countOf(usage['cache_read_input_tokens']),
      cacheCreation: countOf(usage['cache_creation_input_tokens']),
      outputKnown,
    });
  };

  return {
    message(record, printed) {
      const message = fieldsOf(record['message']);
      if (message === undefined) return;
      const final = message['stop_reason'] !== null;
      const onStdout = fieldsOf(printed?.['message']);
      // claude-code 2.1.197: only an answer that was asked for again without streaming has its stop_reason on stdout;
      // fixtures/agents/claude-code/2.1.197/disconnect-mid-stream.
      if (onStdout !== undefined && typeof onStdout['stop_reason'] === 'string' && 'context_management' in onStdout && onStdout['model'] !== SYNTHETIC_MODEL) streamWasCut = true;
      if (printed !== undefined && isOfConversation(printed)) {
        // A failure inside an answer; one of a later request comes after what the user or a tool told.
        // claude-code 2.1.197, fixtures/agents/claude-code/2.1.197/cut-behind-call.
        if (onStdout?.['model'] !== SYNTHETIC_MODEL) answering = true;
        else if (answering && BROKEN_OFF.has(printed['error'])) brokeOff = true;
      }
      take(message, final);
    },
    heard(printed) {
      if (isOfConversation(printed)) answering = false;
    },
    streamEvent(event) {
      if (event?.['type'] === 'message_start') {
        const message = fieldsOf(event['message']);
        streaming = nameOf(message?.['id']);
        if (message !== undefined) take(message, false);
      } else if (event?.['type'] === 'message_delta' && streaming !== undefined) {
        const known = answers.get(streaming);
        const output = countOf(fieldsOf(event['usage'])?.['output_tokens']);
        if (known !== undefined && output !== undefined) answers.set(streaming, { ...known, output, outputKnown: true });
      }
    },
    total(lastResult, wholeSoFar) {
      const counted = lastResult === undefined ? undefined : usageOfResult(lastResult);
      if (counted === undefined) return sumOf([...answers.values()], wholeSoFar);
      if (counted.gap === undefined && streamWasCut) {
        return { ...counted, gap: 'a model stream was cut and asked for again; the CLI does not count the tokens of the cut attempt. Count them at the gateway' };
      }
      if (counted.gap === undefined && brokeOff) return { ...counted, gap: 'an answer of the model broke off; the CLI does not count all of its tokens. Count them at the gateway' };
      return counted;
    },
  };
}

/** What the CLI calls a connection that breaks, and an event that cannot be read. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set(['server_error', 'unknown']);

function isOfConversation(printed: Fields): boolean {
  return nameOf(printed['parent_tool_use_id']) === undefined;
}

/** `modelUsage` and `total_cost_usd` cover the process so far, subagents and compaction included; `usage` only one turn's main thread. */
function usageOfResult(result: Fields): ToldUsage | undefined {
  const cost = result['total_cost_usd'];
  const costUSD = typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { costUSD: cost } : {};
  const models = fieldsOf(result['modelUsage']);
  const main = fieldsOf(result['usage']);
  if (models !== undefined) {
    const perModel = new Map<string, Usage[]>();
    for (const [name, value] of Object.entries(models)) {
      const model = modelIdOf(name) ?? name;
      perModel.set(model, [...(perModel.get(model) ?? []), modelBucketsOf(fieldsOf(value) ?? {})]);
    }
    const split = [...perModel].map(([model, usages]) => [model, addUsage(usages)] as const);
    if (split.length > 0) {
      const { costUSD: _sum, ...buckets } = addUsage(split.map(([, usage]) => usage));
      return { usage: { ...buckets, ...costUSD, models: Object.fromEntries(split) } };
    }
    if (main !== undefined) return { usage: { ...turnBucketsOf(main), ...costUSD } };
  }
  if (main === undefined) return undefined;
  return {
    usage: { ...turnBucketsOf(main), ...costUSD },
    gap: 'the result line has no modelUsage: subagents, compaction and the turns before the last one are not counted',
  };
}

/** The model was asked nothing: counted, so zero and not absent. */
const NOTHING_ASKED: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };

function sumOf(answers: readonly AnswerUsage[], wholeSoFar: boolean): ToldUsage {
  if (answers.length === 0) return wholeSoFar ? { usage: NOTHING_ASKED } : { gap: 'no result line and no model answer with usage' };
  const perModel = new Map<string | undefined, Usage[]>();
  for (const { model, input, output, cacheRead, cacheCreation, outputKnown } of answers) {
    const usage = bucketsOf(input, outputKnown ? output : undefined, cacheRead, cacheCreation);
    const others = perModel.get(model);
    if (others === undefined) perModel.set(model, [usage]);
    else others.push(usage);
  }
  const usage = addUsage([...perModel].map(([model, usages]) => {
    const sum = addUsage(usages);
    return model === undefined ? sum : { ...sum, models: { [model]: sum } };
  }));
  const hidden = answers.filter(({ outputKnown }) => !outputKnown).length;
  if (wholeSoFar && hidden === 0) return { usage };
  return {
    usage,
    gap: 'no result line: summed over the model answers on record; cut requests, compaction and inner web requests are missing'
      + (hidden === 0 ? '' : `, and the output tokens of ${hidden} answer${hidden === 1 ? '' : 's'} (collect the session files)`),
  };
}

function turnBucketsOf(usage: Fields): Usage {
  return bucketsOf(countOf(usage['input_tokens']), countOf(usage['output_tokens']), countOf(usage['cache_read_input_tokens']), countOf(usage['cache_creation_input_tokens']));
}

function modelBucketsOf(usage: Fields): Usage {
  const cost = usage['costUSD'];
  const buckets = bucketsOf(countOf(usage['inputTokens']), countOf(usage['outputTokens']), countOf(usage['cacheReadInputTokens']), countOf(usage['cacheCreationInputTokens']));
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { ...buckets, costUSD: cost } : buckets;
}

function bucketsOf(input: number | undefined, output: number | undefined, cacheRead: number | undefined, cacheCreation: number | undefined): Usage {
  const buckets: { -readonly [K in keyof Usage]: Usage[K] } = {};
  if (input !== undefined) buckets.inputTokens = input;
  if (output !== undefined) buckets.outputTokens = output;
  if (cacheRead !== undefined) buckets.cacheReadTokens = cacheRead;
  if (cacheCreation !== undefined) buckets.cacheCreationTokens = cacheCreation;
  return buckets;
}
