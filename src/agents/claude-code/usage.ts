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
  /** A raw stream event (`--include-partial-messages`). */
  streamEvent(event: Fields | undefined): void;
  /** @param wholeSoFar Nothing but the answers on record can have cost anything. */
  total(lastResult: Fields | undefined, wholeSoFar: boolean): ToldUsage;
}

interface MessageUsage { model: string | undefined; usage: Usage; outputKnown: boolean }

// The Messages API opens a stream with a placeholder of a few output tokens and tells the real count at its end.
const LARGEST_PLACEHOLDER = 16;

export function createUsageMeter(): UsageMeter {
  const messages = new Map<string, MessageUsage>();
  let streaming: string | undefined;
  let streamWasCut = false;

  const take = (message: Fields, final: boolean): void => {
    const id = nameOf(message['id']);
    const usage = fieldsOf(message['usage']);
    if (id === undefined || usage === undefined || message['model'] === SYNTHETIC_MODEL) return;
    const read = bucketsOf(usage);
    const output = read.outputTokens ?? 0;
    const outputKnown = final || output > LARGEST_PLACEHOLDER;
    const known = messages.get(id);
    if (known?.outputKnown === true && !(outputKnown && output >= (known.usage.outputTokens ?? 0))) return;
    messages.set(id, { model: modelIdOf(message['model']) ?? known?.model, usage: read, outputKnown });
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
      take(message, final);
    },
    streamEvent(event) {
      if (event?.['type'] === 'message_start') {
        const message = fieldsOf(event['message']);
        streaming = nameOf(message?.['id']);
        if (message !== undefined) take(message, false);
      } else if (event?.['type'] === 'message_delta' && streaming !== undefined) {
        const known = messages.get(streaming);
        const output = countOf(fieldsOf(event['usage'])?.['output_tokens']);
        if (known !== undefined && output !== undefined) {
          messages.set(streaming, { ...known, usage: { ...known.usage, outputTokens: output }, outputKnown: true });
        }
      }
    },
    total(lastResult, wholeSoFar) {
      const counted = lastResult === undefined ? undefined : usageOfResult(lastResult);
      if (counted === undefined) return sumOf([...messages.values()], wholeSoFar);
      if (counted.gap === undefined && streamWasCut) {
        return { ...counted, gap: 'a model stream was cut and asked for again; the CLI does not count the tokens of the cut attempt. Count them at the gateway' };
      }
      return counted;
    },
  };
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
    if (main !== undefined) return { usage: { ...bucketsOf(main), ...costUSD } };
  }
  if (main === undefined) return undefined;
  return {
    usage: { ...bucketsOf(main), ...costUSD },
    gap: 'the result line has no modelUsage: subagents, compaction and the turns before the last one are not counted',
  };
}

function sumOf(messages: readonly MessageUsage[], wholeSoFar: boolean): ToldUsage {
  if (messages.length === 0) return { gap: 'no result line and no model answer with usage' };
  const parts = messages.map(({ usage, outputKnown, model }) => {
    const { outputTokens, ...input } = usage;
    const known: Usage = outputKnown && outputTokens !== undefined ? { ...input, outputTokens } : input;
    return model === undefined ? known : { ...known, models: { [model]: known } };
  });
  const hidden = messages.filter((message) => !message.outputKnown).length;
  if (wholeSoFar && hidden === 0) return { usage: addUsage(parts) };
  return {
    usage: addUsage(parts),
    gap: 'no result line: summed over the model answers on record; cut requests, compaction and inner web requests are missing'
      + (hidden === 0 ? '' : `, and the output tokens of ${hidden} answer${hidden === 1 ? '' : 's'} (collect the session files)`),
  };
}

function bucketsOf(usage: Fields): Usage {
  return defined({
    inputTokens: countOf(usage['input_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    cacheReadTokens: countOf(usage['cache_read_input_tokens']),
    cacheCreationTokens: countOf(usage['cache_creation_input_tokens']),
  });
}

function modelBucketsOf(usage: Fields): Usage {
  const cost = usage['costUSD'];
  return {
    ...defined({
      inputTokens: countOf(usage['inputTokens']),
      outputTokens: countOf(usage['outputTokens']),
      cacheReadTokens: countOf(usage['cacheReadInputTokens']),
      cacheCreationTokens: countOf(usage['cacheCreationInputTokens']),
    }),
    ...(typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { costUSD: cost } : {}),
  };
}

function defined(buckets: { readonly [K in keyof Usage]?: number | undefined }): Usage {
  return Object.fromEntries(Object.entries(buckets).filter(([, value]) => value !== undefined));
}
