import type { JsonObject } from '../evidence/json.js';
import { isJsonObject } from '../evidence/json.js';
import type { ProtocolName } from './protocol.js';
import type { Sampling } from './session-mode.js';

/** A request as it is passed on. */
export interface SampledRequest {
  readonly body: JsonObject;
  /** Path and query. */
  readonly target: string;
  /** The settings that were written into it, for instance `temperature`, by the names of {@link Sampling}. */
  readonly applied: readonly (keyof Sampling)[];
}

/** Where each protocol has its settings. One that is not here has no place in the protocol, and is not applied. */
const PLACES: { readonly [protocol in ProtocolName]: { readonly [setting in 'temperature' | 'seed' | 'maxTokens']?: readonly string[] } } = {
  'anthropic-messages': { temperature: ['temperature'], maxTokens: ['max_tokens'] },
  'openai-responses': { temperature: ['temperature'], maxTokens: ['max_output_tokens'] },
  'openai-chat': { temperature: ['temperature'], seed: ['seed'], maxTokens: ['max_completion_tokens'] },
  gemini: {
    temperature: ['generationConfig', 'temperature'], seed: ['generationConfig', 'seed'], maxTokens: ['generationConfig', 'maxOutputTokens'],
  },
};

/** The older name of the same limit: two that differ would be an error. */
const REPLACED: { readonly [field: string]: string } = { max_completion_tokens: 'max_tokens' };
const GEMINI_MODEL = /^(\/v1(?:beta|alpha)?\/models\/)([^/:?]+)/;

/** Writes what an experiment decides into a request. */
export function sample(protocol: ProtocolName, { body, target }: { readonly body: JsonObject; readonly target: string }, sampling: Sampling): SampledRequest {
  const applied: (keyof Sampling)[] = [];
  let changed = body;
  for (const setting of ['temperature', 'seed', 'maxTokens'] as const) {
    const [value, place] = [sampling[setting], PLACES[protocol][setting]];
    if (value === undefined || place === undefined) continue;
    changed = withValue(changed, place, value);
    applied.push(setting);
  }
  const named = protocol === 'gemini' ? GEMINI_MODEL.exec(target)?.[2] : body.model;
  const model = typeof named === 'string' ? modelFor(named, sampling.models) : undefined;
  if (model === undefined || model === named) return { body: changed, target, applied };
  return protocol === 'gemini'
    ? { body: changed, target: target.replace(GEMINI_MODEL, (_, before: string) => before + encodeURIComponent(model)), applied: [...applied, 'models'] }
    : { body: { ...changed, model }, target, applied: [...applied, 'models'] };
}

function modelFor(asked: string, models: Sampling['models'] = {}): string | undefined {
  if (Object.hasOwn(models, asked)) return models[asked];
  return Object.hasOwn(models, '*') ? models['*'] : undefined;
}

function withValue(body: JsonObject, [field = '', ...inner]: readonly string[], value: number): JsonObject {
  if (inner.length > 0) return { ...body, [field]: withValue(isJsonObject(body[field]) ? body[field] : {}, inner, value) };
  const { [REPLACED[field] ?? '']: _older, ...rest } = body;
  return { ...rest, [field]: value };
}
