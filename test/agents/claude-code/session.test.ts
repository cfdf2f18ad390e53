import { describe, expect, it } from 'vitest';
import { parseClaudeCode } from '../../../src/agents/claude-code/parse.js';
import type { StreamEvent } from '../../../src/evidence/events.js';
import type { Witness } from '../../../src/agents/transcript.js';
import { fixture, linesOf } from '../fixtures.js';

/** Events without what the vendor injects into every session. */
function told(events: readonly StreamEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'context.injected' && event.source?.startsWith('attachment:') === true) return [];
    const what = 'operationId' in event && event.operationId !== undefined ? event.operationId : 'text' in event ? event.text.slice(0, 40) : event.type;
    return [`${event.type === 'operation.started' ? '>' : event.type === 'operation.finished' ? '<' : event.type} ${what}${event.parentOperationId === undefined ? '' : ' in ' + event.parentOperationId} (${event.witness})`];
  });
}

function recorded(name: string, change: (witnesses: readonly Witness[]) => readonly Witness[] = (all) => all) {
  const run = fixture('claude-code', '2.1.197', name);
  return parseClaudeCode(change(run.witnesses), run.end, { prompt: 'x' });
}

function cutStdout(keep: (line: string) => boolean): (witnesses: readonly Witness[]) => readonly Witness[] {
  return (all) => all.map((witness) => witness.kind !== 'stdout' ? witness : {
    ...witness, bytes: Buffer.from(Buffer.from(witness.bytes).toString('utf8').split('\n').filter(keep).join('\n')),
  });
}

describe('stdout with session files', () => {
  it('tells what stdout leaves out of a subagent, in its place, and nothing twice', () => {
    expect(told(recorded('subagent-basic').turn.events)).toStrictEqual([
      'message Delegating. (stdout)',
      '> toolu_fake_0001 (stdout)',
      'context.injected SUBTASK-A look at a.txt in toolu_fake_0001 (stdout)',
      'message Nested start. in toolu_fake_0001 (session)',
      '> toolu_sub_a1 in toolu_fake_0001 (stdout)',
      '< toolu_sub_a1 in toolu_fake_0001 (stdout)',
      '> toolu_sub_a2 in toolu_fake_0001 (stdout)',
      '< toolu_sub_a2 in toolu_fake_0001 (stdout)',
      'message Subagent report: A is fine. in toolu_fake_0001 (session)',
      '< toolu_fake_0001 (stdout)',
      'message The subagent says A is fine. (stdout)',
    ]);
  });

  it('is complete in every channel when all files are there', () => {
    for (const name of ['subagent-basic', 'subagent-background', 'parallel-tools', 'compact-auto', 'skill-tool', 'plain-text']) {
      expect(recorded(name).turn.evidenceCoverage).toBeUndefined();
    }
  });

  it('names the subagent file that is missing', () => {
    const { evidenceCoverage } = recorded('subagent-basic', (all) => all.filter(({ path }) => path?.includes('/subagents/') !== true)).turn;
    expect(evidenceCoverage?.messages).toStrictEqual({ status: 'partial', reason: 'the session has no subagents/agent-a0061f308312c80d0.jsonl' });
    expect(evidenceCoverage?.actions).toBeUndefined();
  });

  it('tells a skill that was started by slash command', () => {
    expect(told(recorded('skill-slash').turn.events).slice(0, 2)).toStrictEqual(['skill.loaded skill.loaded (session)', 'context.injected Base directory for this skill: /srv/ws/. (session)']);
    expect(recorded('skill-slash', (all) => all.filter(({ kind }) => kind !== 'session')).turn.events.map(({ type }) => type)).toStrictEqual(['message']);
  });

  it('tells injected files and memories where they came in', () => {
    expect(recorded('context-memory').turn.events.flatMap((event) => (event.type === 'context.injected' ? [[event.source, event.text]] : [])).filter(([source]) => !/listing/.test(source ?? ''))).toStrictEqual([
      ['attachment:file', 'mentioned file\n'], ['attachment:nested_memory', 'Nested rule.\n'],
    ]);
  });

  it('tells what a hook injected once, although both records have it', () => {
    const injected = recorded('hooks-events').turn.events.flatMap((event) => (event.type === 'context.injected' && event.source?.startsWith('hook:') === true ? [event.text.split('\n')[0]] : []));
    expect(injected).toStrictEqual(['session start context', 'extra context from a hook', 'post context', 'Stop hook feedback:']);
  });

  it('tells retries once, in their place, although the session file has them late', () => {
    expect(told(recorded('hooks-precompact').turn.events).slice(0, 3)).toStrictEqual(['error error (stdout)', 'error error (stdout)', 'message One. (stdout)']);
  });

  it('fills in from the session file what stdout lost on its way, and stays incomplete', () => {
    let lines = 0;
    const parsed = recorded('subagent-basic', cutStdout(() => (lines += 1) <= 3));
    expect(told(parsed.turn.events)).toStrictEqual(told(recorded('subagent-basic').turn.events).map((line, index) => (index < 2 ? line : line.replace('(stdout)', '(session)'))));
    expect(parsed.ending.kind).toBe('incomplete');
    expect(parsed.turn.usage?.outputTokens).toBe(169);
  });

  it('gives every event of the session its time', () => {
    expect(recorded('parallel-tools').turn.events.every(({ at }) => at !== undefined)).toBe(true);
  });

  it('puts the whole of a long output in the place of its preview', () => {
    const whole = 'line\n'.repeat(20_000);
    const answer = {
      type: 'user', uuid: 'u2', session_id: 's', parent_tool_use_id: null,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '<persisted-output>\nOutput too large. Full output saved to: /h/.claude/projects/p/s/tool-results/abc.txt\n\nPreview' }] },
      tool_use_result: { stdout: 'line\n', persistedOutputPath: '/h/.claude/projects/p/s/tool-results/abc.txt' },
    };
    const stdout: Witness = { kind: 'stdout', bytes: linesOf({ type: 'assistant', uuid: 'u1', message: { id: 'm', model: 'm', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'x' } }] } }, answer) };
    const finished = (witnesses: readonly Witness[]) => {
      const { turn } = parseClaudeCode(witnesses, { exitCode: 0 }, { prompt: 'x' });
      return [turn.events.flatMap((event) => (event.type === 'operation.finished' ? [event.output] : []))[0], turn.evidenceCoverage?.data?.reason?.includes('tool-results/abc.txt')];
    };
    expect(finished([stdout, { kind: 'session', path: 'p/s/tool-results/abc.txt', bytes: Buffer.from(whole) }])).toStrictEqual([whole, false]);
    expect(finished([stdout])[1]).toBe(true);
  });

  it('tells subagents of any depth under the call that started them', () => {
    const entry = (uuid: string, second: number, content: object, more: object = {}): object => ({
      type: 'assistant', uuid, sessionId: 's', timestamp: `2026-01-01T00:00:0${second}.000Z`, message: { id: uuid, model: 'm', role: 'assistant', content: [content] }, ...more,
    });
    const prompt = (uuid: string, second: number, text: string, more: object = {}): object => ({ type: 'user', uuid, sessionId: 's', timestamp: `2026-01-01T00:00:0${second}.000Z`, message: { role: 'user', content: text }, ...more });
    const call = (id: string, text: string): object => ({ type: 'tool_use', id, name: 'Agent', input: { prompt: text } });
    const parsed = parseClaudeCode([
      { kind: 'session', path: 's.jsonl', bytes: linesOf(prompt('u0', 0, 'go'), entry('u1', 1, call('t1', 'one'))) },
      { kind: 'session', path: 's/subagents/agent-a1.jsonl', bytes: linesOf(prompt('u2', 2, 'one', { isSidechain: true, agentId: 'a1' }), entry('u3', 3, call('t2', 'two'), { isSidechain: true, agentId: 'a1' })) },
      { kind: 'session', path: 's/subagents/agent-a1.meta.json', bytes: Buffer.from('{"toolUseId":"t1","spawnDepth":1}') },
      // Without its meta file, the prompt shows which call started it.
      { kind: 'session', path: 's/subagents/agent-a2.jsonl', bytes: linesOf(prompt('u4', 4, 'two', { isSidechain: true, agentId: 'a2' }), entry('u5', 5, { type: 'tool_use', id: 'b1', name: 'Bash', input: { command: 'ls' } }, { isSidechain: true, agentId: 'a2' })) },
    ], { exitCode: 0 });
    expect(told(parsed.turn.events)).toStrictEqual([
      '> t1 (session)', 'context.injected one in t1 (session)', '> t2 in t1 (session)', 'context.injected two in t2 (session)', '> b1 in t2 (session)',
    ]);
  });
});

describe('several processes on one session', () => {
  it('each tell their own part, and no part is told twice', () => {
    const first = fixture('claude-code', '2.1.197', 'resume-run-1');
    const second = fixture('claude-code', '2.1.197', 'resume-run-2');
    // What lay on disk after the first process: everything up to its last line.
    const early = first.witnesses.map((witness) => witness.kind !== 'session' ? witness : {
      ...witness, bytes: Buffer.from(Buffer.from(witness.bytes).toString('utf8').split('\n').slice(0, 9).join('\n')),
    });
    const one = parseClaudeCode(early, first.end, { prompt: 'One' });
    const two = parseClaudeCode(second.witnesses, second.end, { prompt: 'Two', before: one.after });
    expect(told(one.turn.events)).toStrictEqual(['> toolu_fake_0001 (stdout)', '< toolu_fake_0001 (stdout)', 'message First. (stdout)']);
    expect(told(two.turn.events)).toStrictEqual(['> toolu_fake_0002 (stdout)', '< toolu_fake_0002 (stdout)', 'message Second. (stdout)']);
    expect(two.sessionId).toBe(one.sessionId);
  });

  it.each([['resume-run-1', ['First.']], ['resume-run-2', ['Second.']], ['compact-manual-run-3', ['After compaction.']]])('can be told apart by the records alone (%s)', (name, messages) => {
    expect(recorded(name).turn.events.flatMap((event) => (event.type === 'message' ? [event.text] : []))).toStrictEqual(messages);
  });
});

describe('a CLI that did not start', () => {
  it('is not told the work of earlier processes that lies on the same disk', () => {
    const { witnesses } = fixture('claude-code', '2.1.197', 'subagent-basic');
    const session = witnesses.filter(({ kind }) => kind === 'session');
    const silent = parseClaudeCode([{ kind: 'stdout', bytes: new Uint8Array(0) }, { kind: 'stderr', bytes: Buffer.from('no such model') }, ...session], { exitCode: 1 }, { prompt: 'x' });
    expect(silent.ending).toStrictEqual({ kind: 'nothing', reason: 'not one line of the record was understood; the process exited with 1; stderr ends: no such model' });
    expect([silent.turn.events, silent.turn.usage]).toStrictEqual([[], undefined]);
  });
});

describe('a session file alone', () => {
  it('tells the prompts only when nobody else does', () => {
    const session = fixture('claude-code', '2.1.197', 'resume-run-1').witnesses.filter(({ kind }) => kind === 'session');
    const prompts = (emitPrompt: boolean) => parseClaudeCode(session, { exitCode: null }, { emitPrompt }).turn.events.flatMap((event) => (event.type === 'message' && event.role === 'user' ? [event.text] : []));
    expect(prompts(true)).toStrictEqual(['One', 'Two']);
    expect(prompts(false)).toStrictEqual([]);
  });

  it('survives a record without time or session as its last line', () => {
    const bytes = linesOf({ type: 'assistant', uuid: 'u', timestamp: '2026-01-01T00:00:00.000Z', message: { id: 'm', model: 'm', content: [{ type: 'text', text: 'x' }] } }, { type: 'summary', summary: 'x', leafUuid: 'u' });
    expect(parseClaudeCode([{ kind: 'session', path: 's.jsonl', bytes }], { exitCode: null }).turn.events).toStrictEqual([
      { type: 'message', role: 'assistant', text: 'x', at: '2026-01-01T00:00:00.000Z', witness: 'session' },
    ]);
  });

  it('cannot tell how the run ended', () => {
    const session = fixture('claude-code', '2.1.197', 'plain-text').witnesses.filter(({ kind }) => kind === 'session');
    const parsed = parseClaudeCode(session, { exitCode: 0 });
    expect(parsed.ending).toStrictEqual({ kind: 'incomplete', reason: 'there is no stdout, and a session file does not tell how the run ended; the process exited with 0' });
    expect(parsed.turn.evidenceCoverage?.status?.status).toBe('partial');
  });
});
