import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClaudeCodeParser, parseClaudeCode } from '../../src/agents/claude-code/parse.js';
import { createCodexExecParser, parseCodexExec } from '../../src/agents/codex/parse.js';
import type { ParsedTurn, ProcessEnd, Witness } from '../../src/agents/transcript.js';
import { turnSchema } from '../../src/evidence/turn.js';
import { bytesOf, fixture, linesOf, type Fixture } from './fixtures.js';

interface Cli {
  readonly name: 'claude-code' | 'codex';
  readonly runs: readonly Fixture[];
  parse(witnesses: readonly Witness[], end: ProcessEnd): ParsedTurn;
  stream(chunks: readonly Uint8Array[], end: ProcessEnd): ParsedTurn;
  /** Lines and values that such a record could hold. */
  readonly words: readonly string[];
}

const CLIS: readonly Cli[] = [
  {
    name: 'claude-code',
    runs: ['parallel-tools', 'subagent-basic', 'bash-non-utf8', 'compact-auto', 'permission-default', 'partial-messages'].map((name) => fixture('claude-code', '2.1.197', name)),
    parse: (witnesses, end) => parseClaudeCode(witnesses, end, { prompt: 'x' }),
    stream(chunks, end) {
      const parser = createClaudeCodeParser({ prompt: 'x' });
      for (const chunk of chunks) parser.push(chunk);
      return parser.end(end);
    },
    words: [
      'type', 'subtype', 'assistant', 'user', 'system', 'result', 'attachment', 'stream_event', 'control_request', 'message', 'content', 'tool_use', 'tool_result',
      'text', 'id', 'name', 'Agent', 'Bash', 'Skill', 'input', 'tool_use_id', 'is_error', 'tool_use_result', 'usage', 'modelUsage', 'permission_denials', 'errors', 'uuid',
      'parentUuid', 'isSidechain', 'isMeta', 'isCompactSummary', 'event', 'request', 'questions', 'compact_boundary', 'task_notification', 'hook_response', '__proto__',
    ],
  },
  {
    name: 'codex',
    runs: ['shell-parallel', 'mcp', 'subagent-v1', 'shell-binary-output', 'disconnect-then-ok', 'code-mode'].map((name) => fixture('codex', '0.171.0', name)),
    parse: (witnesses, end) => parseCodexExec(witnesses, end, { prompt: 'x' }),
    stream(chunks, end) {
      const parser = createCodexExecParser({ prompt: 'x' });
      for (const chunk of chunks) parser.push(chunk);
      return parser.end(end);
    },
    words: [
      'type', 'payload', 'item', 'thread.started', 'turn.started', 'turn.completed', 'turn.failed', 'error', 'item.started', 'item.completed', 'item.updated',
      'agent_message', 'command_execution', 'file_change', 'mcp_tool_call', 'collab_tool_call', 'web_search', 'todo_list', 'changes', 'agents_states', 'spawn_agent', 'tool',
      'session_meta', 'event_msg', 'response_item', 'token_count', 'token_usage_record', 'item_completed', 'CommandExecution', 'FileChange', 'function_call', 'function_call_output',
      'call_id', 'arguments', 'output', 'id', 'text', 'usage', 'compacted', 'task_started', 'task_complete', 'turn_id', 'root_turn_id', 'source', 'subagent', 'info', '__proto__',
    ],
  },
];

const END: ProcessEnd = { exitCode: 0 };

function stdoutOf(bytes: Uint8Array): Witness {
  return { kind: 'stdout', bytes };
}

/** A line that is no object of the record: log noise, cut JSON, bytes. */
const garbage = fc.oneof(
  fc.string({ maxLength: 60 }).filter((text) => !text.includes('\n')),
  fc.constantFrom('npm warn deprecated', '{"type":"assist', '\0\0\0', '[INFO] {"type":"result"}', '"text"', '42', 'null', '[]', '{}', '{"type":7}', '\u2028'),
);

describe.each(CLIS.map((cli) => [cli.name, cli] as const))('bad input to the parser of %s', (_name, cli) => {
  // Indices, so that a counterexample does not print a whole recording.
  const run = fc.nat({ max: cli.runs.length - 1 });
  const runOf = (index: number): Fixture => cli.runs[index] as Fixture;

  it('tells the same, however the bytes are cut into pieces', () => {
    fc.assert(fc.property(run, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (index, cuts) => {
      const { stdout, end } = runOf(index);
      const places = [...new Set([0, ...cuts.map((cut) => Math.floor(cut * stdout.length)), stdout.length])].sort((a, b) => a - b);
      const chunks = places.slice(1).map((place, index) => stdout.subarray(places[index], place));
      expect(cli.stream(chunks, end)).toStrictEqual(cli.stream([stdout], end));
    }), { numRuns: 60 });
  });

  it('keeps everything that stands before a cut, at every byte of a short run', () => {
    const { stdout } = cli.runs[0] as Fixture;
    const step = Math.max(1, Math.floor(stdout.length / 1_500));
    let told = 0;
    for (let length = 0; length <= stdout.length; length += step) {
      const { turn } = cli.stream([stdout.subarray(0, length)], END);
      expect(turn.events.length).toBeGreaterThanOrEqual(told);
      told = turn.events.length;
    }
    expect(told).toBeGreaterThan(3);
  });

  it('keeps everything around a line of garbage, and counts it', () => {
    fc.assert(fc.property(run, garbage, fc.nat(), (index, line, place) => {
      const { stdout, end } = runOf(index);
      const lines = Buffer.from(stdout).toString('utf8').split('\n').slice(0, -1);
      const at = place % (lines.length + 1);
      const spoiled = bytesOf(`${[...lines.slice(0, at), line, ...lines.slice(at)].join('\n')}\n`);
      const clean = cli.parse([stdoutOf(stdout)], end);
      const dirty = cli.parse([stdoutOf(spoiled)], end);
      expect(dirty.turn.events).toStrictEqual(clean.turn.events);
      expect(dirty.ending).toStrictEqual(clean.ending);
      expect(dirty.turn.usage).toStrictEqual(clean.turn.usage);
      expect(dirty.unrecognisedCount).toBeGreaterThanOrEqual(clean.unrecognisedCount + (line.trim() === '' ? 0 : 1));
    }), { numRuns: 150 });
  });

  it('keeps what it can read of any prefix of all its records together', () => {
    fc.assert(fc.property(run, fc.double({ min: 0, max: 1, noNaN: true }), (index, share) => {
      const { witnesses, end } = runOf(index);
      const cut = witnesses.map((witness) => ({ ...witness, bytes: witness.bytes.subarray(0, Math.floor(witness.bytes.length * share)) }));
      const parsed = cli.parse(cut, end);
      expect(() => turnSchema.parse(parsed.turn)).not.toThrow();
    }), { numRuns: 60 });
  });

  it('turns any JSON into a valid turn', () => {
    const word = fc.constantFrom(...cli.words);
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        word, fc.boolean(), fc.constant(null), fc.integer(), fc.double(), fc.string({ maxLength: 5 }),
        fc.array(tie('tree'), { maxLength: 3 }), fc.dictionary(word, tie('tree'), { maxKeys: 6 }),
      ),
    }));
    const line = fc.tuple(word, fc.dictionary(word, tree, { maxKeys: 8 })).map(([type, fields]) => ({ ...fields, type }));
    fc.assert(fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom<Witness['kind']>('stdout', 'session', 'rollout'), (lines, kind) => {
      const parsed = cli.parse([{ kind, path: 'x.jsonl', bytes: linesOf(...lines) }], END);
      expect(() => turnSchema.parse(parsed.turn)).not.toThrow();
      expect(() => JSON.stringify(parsed.turn)).not.toThrow();
    }), { numRuns: 400 });
  });

  it('survives brackets nested a hundred thousand deep', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const lines = cli.name === 'claude-code'
      ? `{"type":"assistant","message":{"id":"m","model":"m","content":[{"type":"tool_use","id":"t","name":"X","input":{"a":${deep}}}]}}\n{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":${deep}}]}}\n`
      : `{"type":"thread.started"}\n{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":${deep},"result":{"content":${deep}}}}\n`;
    const parsed = cli.parse([stdoutOf(bytesOf(lines))], END);
    expect(parsed.turn.events.map(({ type }) => type)).toStrictEqual(['operation.started', 'operation.finished']);
    expect(() => JSON.stringify(parsed)).not.toThrow();
  });

  it('reads two objects on one line, and what follows them is counted', () => {
    const { stdout, end } = cli.runs[0] as Fixture;
    const glued = bytesOf(`${Buffer.from(stdout).toString('utf8').split('\n').join('')} and noise\n`);
    const parsed = cli.parse([stdoutOf(glued)], end);
    expect(parsed.turn.events).toStrictEqual(cli.parse([stdoutOf(stdout)], end).turn.events);
    expect(parsed.unrecognisedCount).toBe(1);
  });
});
