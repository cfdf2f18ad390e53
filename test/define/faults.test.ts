import { expect, test } from 'vitest';
import { DefinitionError } from '../../src/define/errors.js';
import { forward, scripted } from '../../src/define/gateway.js';
import { faultPlanSchema, type FaultPlan } from '../../src/gateway/faults/fault-plan.js';

const EVERY_KIND: FaultPlan = {
  seed: 3,
  rules: [
    { status: 429, retryAfterSeconds: 1.5, type: 'rate_limit_error', message: 'Slow down.', requests: [1, 2] },
    { stall: true, requests: { from: 3, to: 9, every: 2 } },
    { stall: { afterEvents: 0 }, protocol: 'openai-chat' },
    { trickle: { bytes: 1, everyMs: 0 }, pathIncludes: 'gemini-pro' },
    { cut: 'before-head', probability: 0.5 },
    { cut: { afterBytes: 0 }, times: 1 },
    { malformed: { atEvent: 1 } },
  ],
};

test('takes every kind of fault, as the gateway does', () => {
  expect(scripted('./a.json', { faults: EVERY_KIND })).toEqual({ mode: 'scripted', script: './a.json', faults: EVERY_KIND });
  expect(forward({ faults: EVERY_KIND })).toEqual({ mode: 'forward', faults: EVERY_KIND });
  expect(faultPlanSchema.parse(EVERY_KIND)).toEqual(EVERY_KIND);
});

const one = (rule: object): object => ({ rules: [{ status: 500 }, rule] });
const at2 = 'scripted, faults, rule 2';

test.each<[string, unknown, string]>([
  ['what is no plan', [], 'scripted, faults needs an object.'],
  ['an unknown field', { rules: [], sed: 1 }, 'scripted, faults does not know the field "sed". It knows seed, rules.'],
  ['a plan without rules', {}, 'scripted, faults: `rules` must be a list of rules.'],
  ['a seed with a fraction', { seed: 0.5, rules: [] }, 'scripted, faults: `seed` must be a whole number, not 0.5.'],
  ['a rule without a fault', one({ requests: [1] }), `${at2} needs exactly one of status, stall, trickle, cut, malformed; it has none.`],
  ['a rule with two', one({ status: 500, stall: true }), `${at2} needs exactly one of status, stall, trickle, cut, malformed; it has status and stall.`],
  ['an unknown condition', one({ status: 500, request: 1 }), `${at2} does not know the field "request". It knows requests, protocol, pathIncludes, probability, times, status, stall, trickle, cut, malformed, retryAfterSeconds, type, message.`],
  ['a status that is no failure', one({ status: 200 }), `${at2}: \`status\` must be a whole number from 400 to 599, not 200.`],
  ['a wait beside a cut', one({ cut: 'before-head', retryAfterSeconds: 1 }), `${at2}: \`retryAfterSeconds\` is said beside a \`status\` only.`],
  ['a wait backwards', one({ status: 429, retryAfterSeconds: -1 }), `${at2}: \`retryAfterSeconds\` must be a number of at least 0.`],
  ['a message that is no text', one({ status: 429, message: 1 }), `${at2}: \`message\` must be a text, not 1.`],
  ['a stall of another kind', one({ stall: false }), `${at2}: \`stall\` must be true, { afterBytes } or { afterEvents } with a whole number of at least 0.`],
  ['a cut at two places', one({ cut: { afterBytes: 1, afterEvents: 1 } }), `${at2}: \`cut\` must be "before-head", { afterBytes } or { afterEvents } with a whole number of at least 0.`],
  ['a cut at half an event', one({ cut: { afterEvents: 0.5 } }), `${at2}: \`cut\` must be "before-head", { afterBytes } or { afterEvents } with a whole number of at least 0.`],
  ['a trickle of nothing', one({ trickle: { bytes: 0, everyMs: 1 } }), `${at2}: \`trickle\` needs \`bytes\`, a whole number of at least 1, and \`everyMs\`, milliseconds up to an hour.`],
  ['the event before the first', one({ malformed: { atEvent: 0 } }), `${at2}: \`malformed\` needs \`atEvent\`, a whole number of at least 1.`],
  ['request 0', one({ stall: true, requests: [0] }), `${at2}: \`requests\` must be a list of whole numbers from 1, or { from, to, every }.`],
  ['a single request', one({ stall: true, requests: 1 }), `${at2}: \`requests\` must be a list of whole numbers from 1, or { from, to, every }.`],
  ['a range from 0', one({ stall: true, requests: { from: 0 } }), `${at2}, requests: \`from\` must be a whole number of at least 1, not 0.`],
  ['an unknown protocol', one({ stall: true, protocol: 'grpc' }), `${at2}: \`protocol\` must be one of anthropic-messages, openai-responses, openai-chat, gemini, not "grpc".`],
  ['an empty path', one({ stall: true, pathIncludes: '' }), `${at2}: \`pathIncludes\` must be a part of a path.`],
  ['a probability of more than 1', one({ stall: true, probability: 30 }), `${at2}: \`probability\` must be a number from 0 to 1, not 30.`],
  ['no times', one({ stall: true, times: 0 }), `${at2}: \`times\` must be a whole number of at least 1, not 0.`],
])('refuses %s', (_what, faults, message) => {
  expect(() => scripted('./a.json', { faults: faults as FaultPlan })).toThrow(new DefinitionError(message));
});

test('says whose faults they are', () => {
  expect(() => forward({ faults: {} as FaultPlan })).toThrow(new DefinitionError('forward, faults: `rules` must be a list of rules.'));
});
