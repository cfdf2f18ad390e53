import type { Span } from '../evidence/span.js';
import { plainLine } from './plain-text.js';

const BAR = 30;

/** Spans as lines: when each began, how long it took, and its place in the whole, children below their parents. */
export function traceListing(spans: readonly Span[]): string {
  const begin = Math.min(...spans.map(({ startedAt }) => Date.parse(startedAt)));
  const wholeMs = Math.max(1, ...spans.map((span) => offsetOf(span, begin) + span.durationMs));
  const lines: string[] = [];
  const tell = (parent: string | undefined, depth: number): void => {
    const own = spans.filter(({ parentSpanId }) => parentSpanId === parent).sort((a, b) => offsetOf(a, begin) - offsetOf(b, begin));
    for (const span of own) {
      const from = offsetOf(span, begin);
      lines.push(`${seconds(from)} ${seconds(span.durationMs)} ${barOf(from / wholeMs, span.durationMs / wholeMs)} ${'  '.repeat(depth)}${plainLine(span.name)}${detailOf(span)}\n`);
      // Ids come from a file: one that is its own ancestor must not be followed for ever.
      if (depth < 5) tell(span.spanId, depth + 1);
    }
  };
  tell(undefined, 0);
  return lines.join('');
}

function detailOf({ status, attributes }: Span): string {
  const [input, output] = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']];
  const parts = [
    ...(typeof input === 'number' || typeof output === 'number' ? [`${String(input ?? '?')}/${String(output ?? '?')} tokens`] : []),
    ...(attributes['niceeval.first_byte_ms'] === undefined ? [] : [`first byte ${String(attributes['niceeval.first_byte_ms'])} ms`]),
    ...(status === 'error' ? [plainLine(String(attributes['error.type'] ?? 'failed'))] : []),
  ];
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`;
}

function barOf(from: number, share: number): string {
  const start = Math.min(BAR - 1, Math.floor(from * BAR));
  const length = Math.max(1, Math.min(BAR - start, Math.round(share * BAR)));
  return `${'.'.repeat(start)}${'#'.repeat(length)}${'.'.repeat(BAR - start - length)}`;
}

function offsetOf({ startedAt }: Span, begin: number): number {
  return Math.max(0, Date.parse(startedAt) - begin);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`.padStart(9);
}
