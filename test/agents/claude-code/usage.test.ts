import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseClaudeCode } from '../../../src/agents/claude-code/parse.js';
import { addUsage } from '../../../src/evidence/usage.js';
import { fixture, fixturesOf, linesOf, type Fixture } from '../fixtures.js';
import { calls, init, result, says } from './lines.js';

/** The server's bill, as the recording noted it: input, output, cache creation, cache read. */
function billOf(run: Fixture): readonly number[] | undefined {
  const note = /The server billed, .* = (.*)\.$/m.exec(readFileSync(join(run.folder, 'source.md'), 'utf8'));
  return note?.[1]?.split(', ').map(Number);
}

function bucketsOf(usage: { readonly inputTokens?: number; readonly outputTokens?: number; readonly cacheCreationTokens?: number; readonly cacheReadTokens?: number } | undefined) {
  return [usage?.inputTokens, usage?.outputTokens, usage?.cacheCreationTokens, usage?.cacheReadTokens];
}

function parse(run: Fixture, only: readonly string[]) {
  return parseClaudeCode(run.witnesses.filter(({ kind }) => only.includes(kind)), run.end, { prompt: 'x' });
}

/** Runs whose streams were cut: the server billed more than the CLI ever heard of. */
const CUT = ['cut-behind-call', 'disconnect-always', 'disconnect-mid-stream', 'sse-error-event'];
const NO_END = ['auth-401', 'sigkill-in-tool', 'sigkill-truncated', 'sigterm-in-stream', 'sigterm-in-tool'];
const runs = fixturesOf('claude-code', '2.1.197').filter(({ name }) => !/-run-\d$|output-format-json/.test(name));

describe('usage of a finished run', () => {
  it.each(runs.filter(({ name }) => !CUT.includes(name) && !NO_END.includes(name)).map((run) => [run.name, run] as const))('is what the server billed in %s', (_name, run) => {
    const { turn } = parse(run, ['stdout']);
    expect(bucketsOf(turn.usage)).toStrictEqual(billOf(run));
    expect(turn.evidenceCoverage?.usage).toBeUndefined();
  });

  it.each(CUT)('is marked partial when a stream was cut (%s)', (name) => {
    const run = fixture('claude-code', '2.1.197', name);
    const { turn } = parse(run, ['stdout', 'session']);
    expect(turn.evidenceCoverage?.usage?.reason).toMatch(/cut|broke off/);
    const [input = 0, output = 0] = billOf(run) ?? [];
    expect((turn.usage?.inputTokens ?? 0) + (turn.usage?.outputTokens ?? 0)).toBeLessThan(input + output);
  });

  it.each([['compact-manual', 3], ['resume', 2], ['hooks-block-prompt', 2]])('adds up over the processes of %s', (name, processes) => {
    const fixtures = Array.from({ length: processes }, (_, index) => fixture('claude-code', '2.1.197', `${name}-run-${index + 1}`));
    const total = addUsage(fixtures.map((run) => parse(run, ['stdout', 'session']).turn.usage ?? {}));
    expect(bucketsOf(total)).toStrictEqual(billOf(fixtures[0] as Fixture));
  });

  it('comes from modelUsage when there is one, split by model', () => {
    const more = {
      usage: { input_tokens: 10, output_tokens: 100 },
      modelUsage: { 'claude-opus-4-8[1m]': { inputTokens: 10, outputTokens: 100, costUSD: 0.2 }, 'claude-haiku-4-5': { inputTokens: 1, outputTokens: 40 } },
    };
    const { turn } = parseClaudeCode([{ kind: 'stdout', bytes: linesOf(init, says('a'), result(more)) }], { exitCode: 0 }, { prompt: 'x' });
    expect(turn.usage).toStrictEqual({
      inputTokens: 11, outputTokens: 140,
      models: { 'claude-opus-4-8': { inputTokens: 10, outputTokens: 100, costUSD: 0.2 }, 'claude-haiku-4-5': { inputTokens: 1, outputTokens: 40 } },
    });
  });

  it.each([[{ total_cost_usd: 0 }, 0], [{}, undefined]])('tells a cost of zero from no cost', (more, costUSD) => {
    const bytes = linesOf(init, says('a'), result({ usage: { input_tokens: 1, output_tokens: 1 }, modelUsage: {}, ...more }));
    expect(parseClaudeCode([{ kind: 'stdout', bytes }], { exitCode: 0 }).turn.usage?.costUSD).toBe(costUSD);
  });

  it('never counts requests, because no line does', () => {
    for (const run of runs) expect(parse(run, ['stdout', 'session']).turn.usage?.requests).toBeUndefined();
  });
});

describe('usage of a run without its end', () => {
  const answer = { usage: { input_tokens: 2, output_tokens: 500, cache_read_input_tokens: 90_000, cache_creation_input_tokens: 1_000 } };

  it('counts an answer once, however many lines it has', () => {
    const bytes = linesOf(init, says('a', {}, { id: 'm1', ...answer }), says('b', {}, { id: 'm1', ...answer }), says('c', {}, { id: 'm1', ...answer }));
    const { turn } = parseClaudeCode([{ kind: 'stdout', bytes }], { exitCode: null, signal: 'SIGKILL' });
    expect(bucketsOf(turn.usage)).toStrictEqual([2, 500, 1_000, 90_000]);
    expect(turn.evidenceCoverage?.usage?.status).toBe('partial');
  });

  it('leaves out the placeholder that stdout carries for output tokens', () => {
    const { turn } = parse(fixture('claude-code', '2.1.197', 'sigkill-in-tool'), ['stdout']);
    expect(bucketsOf(turn.usage)).toStrictEqual([15, undefined, 50, 300]);
    expect(turn.evidenceCoverage?.usage?.reason).toContain('the output tokens of 1 answer');
  });

  it('takes the final count from the session file', () => {
    expect(bucketsOf(parse(fixture('claude-code', '2.1.197', 'sigkill-in-tool'), ['stdout', 'session']).turn.usage)).toStrictEqual([15, 30, 50, 300]);
  });

  it('counts an answer once that two files hold after a resume', () => {
    const entry = (uuid: string, id: string, output: number): object => ({
      type: 'assistant', uuid, sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z',
      message: { id, role: 'assistant', model: 'm', content: [{ type: 'text', text: id }], stop_reason: 'end_turn', usage: { input_tokens: 0, output_tokens: output } },
    });
    const parsed = parseClaudeCode([
      { kind: 'session', path: 'a.jsonl', bytes: linesOf(entry('u1', 'm1', 100)) },
      { kind: 'session', path: 'b.jsonl', bytes: linesOf(entry('u2', 'm1', 100), entry('u3', 'm2', 50)) },
    ], { exitCode: 0 });
    expect(parsed.turn.usage?.outputTokens).toBe(150);
  });

  it('includes the answers of subagents', () => {
    const entry = (uuid: string, isSidechain: boolean, output: number): object => ({
      type: 'assistant', uuid, isSidechain, sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z',
      message: { id: uuid, role: 'assistant', model: 'm', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn', usage: { input_tokens: 0, output_tokens: output } },
    });
    const parsed = parseClaudeCode([{ kind: 'session', path: 'a.jsonl', bytes: linesOf(entry('m1', false, 100), entry('m2', true, 60)) }], { exitCode: 0 });
    expect(parsed.turn.usage?.outputTokens).toBe(160);
  });

  it('is unavailable when no answer was recorded', () => {
    const { turn } = parseClaudeCode([{ kind: 'stdout', bytes: linesOf(init, calls('t', 'Bash')) }], { exitCode: null, signal: 'SIGKILL' });
    expect(turn.usage).toBeUndefined();
    expect(turn.evidenceCoverage?.usage).toStrictEqual({ status: 'unavailable', reason: 'no result line and no model answer with usage' });
  });
});
