// What claims cost: 50,000 events of one session, and 500 claims of every family about them, beside one JSON.parse of the same
// events in the same process. Then the same claims about twice as many events: what grows more than twice is quadratic.
// Asserts nothing but that every claim is decided.
//
//   npm run bench:claims
import { event, eventOrder, notEvent } from '../dist/assert/event-claims.js';
import { maxTokens } from '../dist/assert/limits.js';
import { calledTool, maxToolCalls, noFailedActions, notCalledTool, toolOrder } from '../dist/assert/tool-claims.js';
import { ClaimLedger } from '../dist/assert/ledger.js';
import { completeEvidenceCoverage } from '../dist/evidence/coverage.js';
import { opaqueCommandProjection } from '../dist/evidence/command-projection.js';
import { commandMatch, eventMatch, jsonMatch, not, pattern, referencesAnyPath, shellMatch, toolMatch } from '../dist/expect/index.js';

const EVENTS = 50_000;
const CLAIMS = 500;
const BAR_MS = 1_000;
const ROUNDS = 5;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** A session as coding agents have them: words, thoughts, reads, edits and shell commands, half of these all different. */
function sessionOf(length) {
  const events = [];
  for (let step = 0; events.length < length; step += 1) {
    const operationId = `call_${step}`;
    events.push({ type: 'message', role: 'assistant', text: `Step ${step}: I look at the next file.` });
    if (step % 5 === 0) events.push({ type: 'thinking', text: `What would break if file ${step} changed?` });
    const source = step % 2 === 0 ? `cd /work && npm test -- --filter case${step} 2>&1 | tail -${step % 40}` : ['git status', 'npm run lint', 'ls -la src', 'git diff HEAD~1'][step % 4];
    const operation = [
      { kind: 'tool', name: 'Read', input: { file_path: `/project/src/file${step}.ts` }, tool: 'file_read', command: { classification: 'not-command' } },
      { kind: 'tool', name: 'Edit', input: { file_path: `/project/src/file${step}.ts`, old_string: 'a', new_string: 'b' }, tool: 'file_edit', command: { classification: 'not-command' } },
      { kind: 'tool', name: 'Bash', input: { command: source }, tool: 'shell', command: opaqueCommandProjection('unsupported-protocol', { source }) },
    ][step % 3];
    events.push({ type: 'operation.started', operationId, operation });
    events.push({ type: 'operation.finished', operationId, kind: 'tool', status: step % 97 === 0 ? 'failed' : 'completed', output: `ok ${step}` });
  }
  return events.slice(0, length);
}

function scopeOf(events) {
  return {
    name: 'turn 1', coverage: completeEvidenceCoverage, running: false, sessions: [{ events, statuses: ['completed'] }],
    turns: [{ label: 'turn1', usage: { inputTokens: 1, outputTokens: 1 }, durationMs: 1, estimate: () => ({ state: 'estimated', usd: 0, leastUSD: 0, notes: [] }) }],
  };
}

/** Every family in turn; none is found early, so that each looks at everything. */
function claimOf(scope, number) {
  const families = [
    () => notCalledTool(scope, `tool${number}`),
    () => calledTool(scope, toolMatch('Read', { input: jsonMatch({ file_path: `/project/src/none${number}.ts` }) })),
    () => notCalledTool(scope, shellMatch('npm', { argsStart: ['publish', `v${number}`] })),
    () => notCalledTool(scope, shellMatch(`program${number}`)),
    () => calledTool(scope, commandMatch('git', { argsStart: [`x${number}`] })),
    () => event(scope, eventMatch('message', { role: 'assistant', text: pattern(new RegExp(`never ${number}$`)) })),
    () => notEvent(scope, 'compaction'),
    () => toolOrder(scope, ['Read', 'Edit', 'Bash', `tool${number}`]),
    () => eventOrder(scope, ['message', eventMatch('operation.started', { tool: 'shell' }), eventMatch('error')]),
    () => calledTool(scope, toolMatch('shell', { status: 'failed' }).between(1, 1_000_000)),
    () => noFailedActions(scope),
    () => maxToolCalls(scope, number),
    () => maxTokens(scope, number),
    () => notCalledTool(scope, not(toolMatch())),
    () => notCalledTool(scope, toolMatch('file_edit', { input: referencesAnyPath([`secrets${number}/**`]) })),
  ];
  return families[number % families.length]();
}

async function evaluated(events, { shells = true } = {}) {
  const scope = scopeOf(events);
  const ledger = new ClaimLedger();
  for (let number = 0; ledger.size < CLAIMS; number += 1) if (shells || ![2, 3].includes(number % 15)) ledger.register(claimOf(scope, number));
  const begun = performance.now();
  const claims = await ledger.settle();
  const ms = performance.now() - begun;
  const undecided = claims.find((claim) => claim.state === 'errored' || (claim.state === 'unavailable' && !/command|words/.test(claim.description + claim.reason)));
  if (undecided !== undefined) throw new Error(`not decided: ${undecided.description}: ${undecided.reason}`);
  return ms;
}

async function row(name, events, options) {
  const text = events.map((one) => JSON.stringify(one));
  const baseline = [];
  const ours = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const begun = performance.now();
    for (const line of text) JSON.parse(line);
    const parsed = performance.now() - begun;
    const ms = await evaluated(events, options);
    if (round >= 0) {
      baseline.push(parsed);
      ours.push(ms);
    }
  }
  return { name, ms: median(ours), ratio: median(ours) / median(baseline) };
}

const events = sessionOf(EVENTS);
const cold = await evaluated(events);
const rows = [await row('50,000 events', events), await row('100,000 events', sessionOf(2 * EVENTS))];
console.log(`claims: ${CLAIMS} of 15 families, medians of ${ROUNDS}; the first time, with every shell source still to be read: ${cold.toFixed(0)} ms`);
for (const { name, ms, ratio } of rows) console.log(`  ${name.padEnd(16)} ${ms.toFixed(0).padStart(6)} ms   ${ratio.toFixed(2)} x JSON.parse of the events`);
console.log(`  bar: ${EVENTS} events in ${BAR_MS} ms, sources read: ${rows[0].ms <= BAR_MS ? 'kept' : 'MISSED'}; twice the events take ${(rows[1].ms / rows[0].ms).toFixed(2)} x as long`);
