import type { JsonObject } from '../evidence/json.js';
import type { ProtocolName } from './protocol.js';

/** The list of models in the vendor's shape. A script has no models, so that it is empty. */
export function modelListOf(protocol: ProtocolName): JsonObject {
  return MODEL_LISTS[protocol];
}

const MODEL_LISTS: { readonly [protocol in ProtocolName]: JsonObject } = {
  'anthropic-messages': { data: [], first_id: null, last_id: null, has_more: false },
  'openai-responses': { object: 'list', data: [] },
  'openai-chat': { object: 'list', data: [] },
  gemini: { models: [] },
};

/** What the vendor says of one model, for the model that a path ends with. A script plays every model. */
export function modelInfoOf(protocol: ProtocolName, path: string): JsonObject {
  const id = path.slice(path.lastIndexOf('/') + 1);
  switch (protocol) {
    case 'anthropic-messages':
      return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' };
    case 'gemini':
      return { name: `models/${id}`, displayName: id, supportedGenerationMethods: ['generateContent', 'countTokens'] };
    default:
      return { id, object: 'model', created: 0, owned_by: 'script' };
  }
}

/** A count of input tokens in the vendor's shape. */
export function tokenCountOf(protocol: ProtocolName, tokens: number): JsonObject {
  switch (protocol) {
    case 'anthropic-messages':
      return { input_tokens: tokens };
    case 'gemini':
      return { totalTokens: tokens };
    default:
      return { object: 'response.input_tokens', input_tokens: tokens };
  }
}
