import { describe, expect, it } from 'vitest';
import { parseTranscript, recogniseFormat, type ParsedTranscript, type ParseTranscriptOptions, type TranscriptFile } from '../../src/agents/parse-transcript.js';
import { bytesOf, fixture, fixturesOf, linesOf, type Fixture } from './fixtures.js';
import { answers, calls, init, result, says } from './claude-code/lines.js';
import { message, threadStarted, turnCompleted, turnStarted } from './codex/lines.js';

function filesOf(run: Fixture, kinds: readonly string[]): readonly TranscriptFile[] {
  return run.witnesses.filter(({ kind }) => kinds.includes(kind)).map(({ kind, path, bytes }) => ({ path: path ?? `${run.name}-${kind}.jsonl`, bytes }));
}

function parsed(files: readonly TranscriptFile[], options: ParseTranscriptOptions = {}): ParsedTranscript {
  const outcome = parseTranscript(files, options);
  if (outcome.kind !== 'parsed') throw new Error(outcome.reason);
  return outcome.transcript;
}

/** Per turn: its prompts and answers. */
function wordsOf(transcript: ParsedTranscript): readonly (readonly string[])[] {
  return transcript.turns.map(({ events }) => events.flatMap((event) => (event.type === 'message' && event.parentOperationId === undefined ? [`${event.role}: ${event.text}`] : [])));
}

const claude = (name: string): Fixture => fixture('claude-code', '2.1.197', name);
const codex = (name: string): Fixture => fixture('codex', '0.171.0', name);

describe('recogniseFormat', () => {
  it.each(fixturesOf('claude-code', '2.1.197').filter(({ stdout }) => stdout.length > 0).map((run) => [run.name, run] as const))('recognises the records of claude-code %s', (_name, run) => {
    expect(recogniseFormat(run.stdout)).toBe('claude-code');
    for (const { path, bytes } of filesOf(run, ['session'])) if (path.endsWith('.jsonl')) expect(recogniseFormat(bytes)).toBe('claude-session');
  });

  it.each(fixturesOf('codex', '0.171.0').filter(({ stdout, name }) => stdout.length > 0 && name !== 'human-output').map((run) => [run.name, run] as const))('recognises the records of codex %s', (name, run) => {
    expect(recogniseFormat(run.stdout)).toBe(name.startsWith('app-') ? 'codex-app-server' : 'codex-exec');
    for (const { bytes } of filesOf(run, ['rollout'])) expect(recogniseFormat(bytes)).toBe('codex-rollout');
  });

  it.each([
    ['nothing', ''],
    ['prose', 'The README describes a demo project.\n'],
    ['events behind a log prefix', '12:[2025-11-13T05:30:02Z] [INFO] {"type":"turn.started"}\n'],
    ['pretty-printed JSON', '{\n  "type": "assistant"\n}\n'],
    ['lines of another CLI', '{"type":"step_start","sessionID":"s","part":{}}\n{"type":"text","sessionID":"s","part":{"text":"x"}}\n'],
    ['a session of a CLI that borrowed the frame', '{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}\n'],
    ['output of a CLI that borrowed the frame', '{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.15.10"}\n{"type":"result","subtype":"success","is_error":false}\n'],
    ['spans', '{"resourceSpans":[]}\n'],
  ])('recognises nothing in %s', (_name, text) => {
    expect(recogniseFormat(bytesOf(text))).toBeUndefined();
    expect(parseTranscript([{ path: 'x', bytes: bytesOf(text) }]).kind).toBe('refused');
  });
});

describe('parseTranscript', () => {
  it.each([
    [['stdout', 'session'], 'claude-code'], [['stdout'], 'claude-code'], [['session'], 'claude-session'],
  ])('tells the turns of a streaming process from %j', (kinds, format) => {
    const transcript = parsed(filesOf(claude('stream-input-multi'), kinds));
    const prompts = kinds.includes('session');
    expect(transcript.format).toBe(format);
    expect(wordsOf(transcript)).toStrictEqual(['one', 'two', 'three'].map((prompt, index) => [...(prompts ? [`user: ${prompt}`] : []), `assistant: ${['First.', 'Second.', 'Third.'][index]}`]));
    // The script's own numbers.
    expect(transcript.turns.map(({ usage }) => [usage?.inputTokens, usage?.outputTokens])).toStrictEqual([[11, 3], [25, 24], [14, 5]]);
    expect([transcript.usage.inputTokens, transcript.usage.outputTokens]).toStrictEqual([50, 32]);
  });

  it('tells two processes on one session, each in its turn', () => {
    const transcript = parsed([
      ...filesOf(claude('resume-run-1'), ['stdout']), ...filesOf(claude('resume-run-2'), ['stdout', 'session']),
    ], { end: { exitCode: 0 } });
    expect(wordsOf(transcript)).toStrictEqual([['user: One', 'assistant: First.'], ['user: Two', 'assistant: Second.']]);
    expect(transcript.endings).toStrictEqual([{ kind: 'completed' }, { kind: 'completed' }]);
    expect(transcript.evidenceCoverage.actions).toStrictEqual({ status: 'complete' });
  });

  it('tells the end of background work that comes before the next turn in the turn that began it', () => {
    const transcript = parsed(filesOf(claude('bash-background'), ['stdout']));
    expect(transcript.turns.map(({ events }) => events.flatMap((event) => ('operationId' in event && event.operationId !== undefined ? [`${event.type} ${event.operationId}`] : [])))).toStrictEqual([
      ['operation.started toolu_fake_0001', 'operation.started toolu_fake_0002', 'operation.finished toolu_fake_0002', 'operation.finished toolu_fake_0001'],
      [],
    ]);
  });

  it('tells the end of a subagent as a subagent\'s, also in a later turn than its start', () => {
    const end = { type: 'system', subtype: 'task_notification', tool_use_id: 't1', status: 'completed', summary: 'done' };
    const transcript = parsed([{ path: 'x', bytes: linesOf(
      init, calls('t1', 'Agent', { subagent_type: 'explorer' }), answers('t1', 'launched', { tool_use_result: { status: 'async_launched', agentId: 'a' } }), result(),
      init, says('waiting'), end, result(),
    ) }]);
    expect(transcript.turns[1]?.events).toStrictEqual([
      { type: 'message', role: 'assistant', text: 'waiting' },
      { type: 'operation.finished', operationId: 't1', kind: 'subagent', status: 'completed', output: 'done' },
    ]);
  });

  it.each([
    [['stdout', 'rollout'], 'codex-exec'], [['stdout'], 'codex-exec'], [['rollout'], 'codex-rollout'],
  ])('tells the turns of a resumed thread from %j', (kinds, format) => {
    const runs = kinds.includes('stdout') ? [1, 2, 3] : [3];
    const transcript = parsed(runs.flatMap((run) => filesOf(codex(`resume-run-${run}`), run === 3 ? kinds : ['stdout'])));
    const prompts = kinds.includes('rollout');
    expect(transcript.format).toBe(format);
    expect(wordsOf(transcript)).toStrictEqual(['First', 'Second', 'Third'].map((word) => [...(prompts ? [`user: ${word} question.`] : []), `assistant: ${word} answer.`]));
    expect(transcript.turns.map(({ usage }) => (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0))).toStrictEqual([4_100, 4_700, 2_500]);
  });

  it.each([['stdout'], ['stdout', 'rollout'], ['rollout']])('tells the turns of an app-server connection from %s %s', (...kinds) => {
    const transcript = parsed(filesOf(codex('app-compact'), kinds.filter((kind) => kind !== undefined)));
    expect(wordsOf(transcript)).toStrictEqual([['user: First question.', 'assistant: First answer.'], [], ['user: Second question.', 'assistant: Second answer.']]);
    expect(transcript.turns[1]?.events.flatMap((event) => (event.type === 'compaction' ? [event.reason] : []))).toStrictEqual(['manual']);
  });

  it('takes the last of two running totals in one output for the whole', () => {
    const transcript = parsed([{ path: 'x.jsonl', bytes: linesOf(
      threadStarted, turnStarted, message('item_0', 'a'), turnCompleted({ input_tokens: 10, output_tokens: 5 }),
      turnStarted, message('item_1', 'b'), turnCompleted({ input_tokens: 30, output_tokens: 15 }),
    ) }]);
    expect(transcript.turns.length).toBe(2);
    expect(transcript.usage).toStrictEqual({ inputTokens: 30, outputTokens: 15 });
  });

  it('reads the envelopes that codex exec printed before it had items', () => {
    const envelope = (message: object): object => ({ id: '1', msg: message });
    const transcript = parsed([{ path: 'old.jsonl', bytes: linesOf(
      { workdir: '/w', model: 'codex-mini-latest', provider: 'openai', approval: 'Never' },
      { prompt: 'List the files' },
      envelope({ type: 'task_started' }),
      envelope({ type: 'exec_command_begin', call_id: 'c1', command: ['bash', '-lc', 'ls -1'], cwd: '/w' }),
      envelope({ type: 'exec_command_end', call_id: 'c1', stdout: 'a\n', stderr: '', exit_code: 0 }),
      envelope({ type: 'agent_message', message: 'One file.' }),
      envelope({ type: 'token_count', input_tokens: 1_674, cached_input_tokens: 1_627, output_tokens: 384, reasoning_output_tokens: 384, total_tokens: 2_058 }),
      envelope({ type: 'task_complete', last_agent_message: 'One file.' }),
    ) }], { end: { exitCode: 0 } });
    expect(transcript).toMatchObject({ format: 'codex-exec', model: 'codex-mini-latest', endings: [{ kind: 'completed' }], usage: { inputTokens: 47, outputTokens: 384 } });
    expect(transcript.turns[0]?.events).toMatchObject([
      { type: 'message', role: 'user', text: 'List the files' },
      { type: 'operation.started', operationId: 'c1', operation: { tool: 'shell', command: { shell: { source: 'ls -1', shell: 'bash' } } } },
      { type: 'operation.finished', operationId: 'c1', status: 'completed', exitCode: 0, output: 'a\n' },
      { type: 'message', role: 'assistant', text: 'One file.' },
    ]);
  });

  it('does not tell, or count, what a forked thread copied from its parent', () => {
    const at = (seconds: number): string => new Date(1_780_000_000_000 + seconds * 1000).toISOString();
    const event = (seconds: number, payload: object): object => ({ timestamp: at(seconds), type: 'event_msg', payload });
    const total = (tokens: number): object => ({ type: 'token_count', info: { total_token_usage: { input_tokens: tokens, output_tokens: 0 } } });
    const transcript = parsed([{ path: 'rollout-x.jsonl', bytes: linesOf(
      { timestamp: at(0), type: 'session_meta', payload: { id: 'child', forked_from_id: 'parent', source: 'exec' } },
      { timestamp: at(0), type: 'session_meta', payload: { id: 'parent', source: 'exec' } },
      event(0, { type: 'task_started', turn_id: 'old', started_at: 1_770_000_000 }), event(0, { type: 'agent_message', message: 'said by the parent' }), event(0, total(5_000)),
      event(10, { type: 'task_started', turn_id: 'new', started_at: 1_780_000_010 }), event(11, { type: 'agent_message', message: 'said by the child' }), event(12, total(5_300)),
    ) }]);
    expect(wordsOf(transcript)).toStrictEqual([['assistant: said by the child']]);
    expect(transcript.usage.inputTokens).toBe(300);
  });

  it('splits a rollout of a version without turn ids at its prompts', () => {
    const event = (payload: object): object => ({ timestamp: '2026-01-01T00:00:00.000Z', type: 'event_msg', payload });
    const transcript = parsed([{ path: 'rollout-x.jsonl', bytes: linesOf(
      { type: 'session_meta', payload: { id: 't', cli_version: '0.47.0' } },
      event({ type: 'user_message', message: 'one' }), event({ type: 'agent_message', message: 'first' }),
      event({ type: 'user_message', message: 'two' }), event({ type: 'agent_message', message: 'second' }),
    ) }]);
    expect(transcript.cliVersion).toBe('0.47.0');
    expect(wordsOf(transcript)).toStrictEqual([['user: one', 'assistant: first'], ['user: two', 'assistant: second']]);
  });

  it('says how the last process ended, and nothing of the ones before', () => {
    const transcript = parsed([...filesOf(claude('resume-run-1'), ['stdout']), ...filesOf(claude('sigkill-in-tool'), ['stdout'])], { end: { exitCode: null, signal: 'SIGKILL' } });
    expect(transcript.endings.map(({ kind }) => kind)).toStrictEqual(['completed', 'incomplete']);
  });

  it('counts lines of one process through its turns', () => {
    const bytes = Buffer.concat([claude('stream-input-multi').stdout, bytesOf('noise\n')]);
    const lines = Buffer.from(bytes).toString('utf8').trimEnd().split('\n').length;
    expect(parsed([{ path: 'x', bytes }]).unrecognised).toStrictEqual([{ source: 'stdout', line: lines, why: 'not JSON: "noise"' }]);
  });

  it('names the file, where there are several outputs', () => {
    const noisy = Buffer.concat([codex('plain-text').stdout, bytesOf('noise\n')]);
    expect(parsed([{ path: 'one.jsonl', bytes: codex('plain-text').stdout }, { path: 'two.jsonl', bytes: noisy }]).unrecognised).toStrictEqual([
      { source: 'two.jsonl', line: Buffer.from(noisy).toString('utf8').trimEnd().split('\n').length, why: 'not JSON: "noise"' },
    ]);
  });

  it('finds a transcript behind hundreds of lines of a log', () => {
    const log = Array.from({ length: 500 }, (_line, index) => `2026-01-01T00:00:00Z ERROR codex_core: trouble ${index}\n`).join('');
    const transcript = parsed([{ path: 'x', bytes: Buffer.concat([bytesOf(log), codex('shell-ok').stdout]) }]);
    expect([transcript.format, transcript.endings.map(({ kind }) => kind), transcript.unrecognisedCount]).toStrictEqual(['codex-exec', ['completed'], 500]);
  });

  it('finds a transcript behind the entries of a log that is JSON itself', () => {
    const entry = (index: number): object => ({ timestamp: '2026-01-01T00:00:00Z', level: 'ERROR', fields: { message: `trouble ${index}` }, target: 'codex_core' });
    const log = linesOf(...Array.from({ length: 300 }, (_line, index) => entry(index)));
    const transcript = parsed([{ path: 'x', bytes: Buffer.concat([log, codex('shell-ok').stdout]) }]);
    expect([transcript.format, transcript.endings.map(({ kind }) => kind), transcript.unrecognisedCount]).toStrictEqual(['codex-exec', ['completed'], 300]);
  });

  it.each([
    ['Claude Code', () => filesOf(claude('ask-user-question'), ['stdout']), ['{"type":"user","message":{"role":"user","content":"Paint it"},"parent_tool_use_id":null,"session_id":""}', '{"type":"control_response","response":{"subtype":"success","request_id":"9","response":{"behavior":"allow"}}}']],
    ['a Codex app-server', () => filesOf(codex('app-user-input'), ['stdout']), ['{"method":"initialize","id":1,"params":{}}', '{"method":"initialized"}', '{"method":"turn/start","id":3,"params":{"threadId":"t","input":[]}}', '{"id":0,"result":{"answers":{}}}']],
  ])('leaves out what the client of %s wrote', (_name, files, lines) => {
    const alone = parsed(files());
    const input = { path: 'stdin.jsonl', bytes: bytesOf(`${lines.join('\n')}\n`) };
    const beside = parsed([...files(), input]);
    expect(beside).toStrictEqual({ ...alone, problems: [...alone.problems, '"stdin.jsonl" is what the client wrote and was left out'] });
    expect(parseTranscript([input]).kind).toBe('refused');
  });

  it('leaves out a file that is no transcript, and says so', () => {
    const transcript = parsed([...filesOf(claude('plain-text'), ['stdout']), { path: 'notes.txt', bytes: bytesOf('hello') }]);
    expect(transcript.problems).toStrictEqual(['"notes.txt" is no transcript and was left out']);
  });

  it.each([
    ['files of different CLIs', () => [...filesOf(claude('plain-text'), ['stdout']), ...filesOf(codex('plain-text'), ['stdout'])]],
    ['outputs of different kinds', () => [...filesOf(codex('app-compact'), ['stdout']), ...filesOf(codex('plain-text'), ['stdout'])]],
    ['nothing', () => []],
  ])('refuses %s', (_name, files) => {
    expect(parseTranscript(files()).kind).toBe('refused');
  });

  it('takes an unrecognised file for what the caller says it is', () => {
    const transcript = parsed([{ path: 'x', bytes: bytesOf('nothing to see\n') }], { format: 'codex-exec' });
    expect(transcript.endings.map(({ kind }) => kind)).toStrictEqual(['nothing']);
    expect(transcript.unrecognisedCount).toBe(1);
  });
});
