import type { ProtocolName } from './protocol.js';
import type { TurnError } from './script.js';
import type { WholeReply, Wire } from './wire.js';

/** What each vendor answers when an account has no money left, so that its client does not try again. */
const SPENT: { readonly [protocol in ProtocolName]: Pick<TurnError, 'status' | 'type'> } = {
  'anthropic-messages': { status: 402, type: 'billing_error' },
  'openai-responses': { status: 429, type: 'insufficient_quota' },
  'openai-chat': { status: 429, type: 'insufficient_quota' },
  gemini: { status: 429, type: 'RESOURCE_EXHAUSTED' },
};

/** The vendor's own way to say that nothing may be spent any more. */
export function overBudget(wire: Wire, message: string, requestId: string): WholeReply {
  return wire.failure({ ...SPENT[wire.protocol], message }, requestId, { final: true });
}
