import type { JsonValue } from '../../evidence/json.js';

type Step =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: JsonValue; readonly key: string };

/**
 * A value as JSON with sorted keys, without recursion: the same text for two values that mean the same. Time is linear in the size of
 * the value but for the sorting of keys.
 *
 * @param leaf What a text becomes; `key` is the one that holds it, or that holds the array around it.
 */
export function canonicalJson(value: JsonValue, leaf: (text: string, key: string) => string, key = ''): string {
  const out: string[] = [];
  const steps: Step[] = [{ kind: 'value', value, key }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step.kind === 'text') out.push(step.text);
    else if (typeof step.value === 'string') out.push(JSON.stringify(leaf(step.value, step.key)));
    else if (typeof step.value !== 'object' || step.value === null) out.push(String(step.value));
    else if (Array.isArray(step.value)) pushArray(steps, step.value as readonly JsonValue[], step.key);
    else pushObject(steps, step.value as { readonly [key: string]: JsonValue });
  }
  return out.join('');
}

// The stack gives back last what was put on it first.
function pushArray(steps: Step[], items: readonly JsonValue[], key: string): void {
  steps.push({ kind: 'text', text: ']' });
  for (let index = items.length - 1; index >= 0; index -= 1) {
    steps.push({ kind: 'value', value: items[index] ?? null, key });
    if (index > 0) steps.push({ kind: 'text', text: ',' });
  }
  steps.push({ kind: 'text', text: '[' });
}

function pushObject(steps: Step[], value: { readonly [key: string]: JsonValue }): void {
  steps.push({ kind: 'text', text: '}' });
  const keys = Object.keys(value).sort();
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] ?? '';
    steps.push({ kind: 'value', value: value[key] ?? null, key });
    steps.push({ kind: 'text', text: `${index > 0 ? ',' : ''}${JSON.stringify(key)}:` });
  }
  steps.push({ kind: 'text', text: '{' });
}
