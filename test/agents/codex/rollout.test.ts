import { describe, expect, it } from 'vitest';
import { parseCodexExec } from '../../../src/agents/codex/parse.js';
import { toolOccurrencesOf } from '../../../src/evidence/occurrence.js';
import type { StreamEvent } from '../../../src/evidence/events.js';
import type { Witness } from '../../../src/agents/transcript.js';
import { fixture, linesOf } from '../fixtures.js';

function recorded(name: string, change: (witnesses: readonly Witness[]) => readonly Witness[] = (all) => all) {
  const run = fixture('codex', '0.171.0', name);
  return parseCodexExec(change(run.witnesses), run.end, { prompt: 'x' });
}

function toolsOf(events: readonly StreamEvent[]) {
  return toolOccurrencesOf(events).occurrences.map(({ operation, status }) => [operation.name, status]);
}

describe('calls that only the rollout shows', () => {
  it.each([
    ['rules-forbidden', [['command_execution', 'rejected'], ['command_execution', 'rejected'], ['command_execution', 'rejected'], ['command_execution', 'completed']]],
    ['escalate-never', [['command_execution', 'rejected'], ['command_execution', 'completed']]],
    ['patch-denied', [['file_change', 'rejected'], ['file_change', 'rejected']]],
    ['hooks', [['command_execution', 'completed'], ['command_execution', 'rejected'], ['file_change', 'completed']]],
    ['auto-review', [['command_execution', 'rejected'], ['command_execution', 'completed'], ['file_change', 'completed']]],
    ['patch-fail', [['file_change', 'failed'], ['file_change', 'failed'], ['file_change', 'failed']]],
    ['sandbox-read-only', [['command_execution', 'failed'], ['command_execution', 'failed'], ['command_execution', 'failed'], ['command_execution', 'completed']]],
    ['bad-calls', [['no_such_tool', 'failed'], ['command_execution', 'failed'], ['command_execution', 'failed'], ['command_execution', 'failed'], ['command_execution', 'failed'], ['no_such_custom', 'failed']]],
    ['image', [['view_image', 'completed'], ['view_image', 'failed']]],
    ['web-search', [['web_search', 'completed'], ['web_search', 'completed'], ['web_search', 'completed'], ['web_search', 'failed']]],
    ['plan', [['update_plan', 'completed'], ['command_execution', 'completed'], ['update_plan', 'completed'], ['update_plan', 'completed'], ['update_plan', 'failed']]],
  ])('are told with how they came out (%s)', (name, expected) => {
    expect(toolsOf(recorded(name).turn.events)).toStrictEqual(expected);
  });

  it('tell what was typed into a live session as commands of unknown words', () => {
    const { turn } = recorded('shell-background');
    const typed = turn.events.flatMap((event) => (event.type === 'operation.started' && event.operation.kind === 'tool' && event.operation.name === 'write_stdin' ? [event.operation.command?.classification] : []));
    expect(typed).toStrictEqual(['command', 'not-command', 'command', 'command']);
    expect(turn.events.find((event) => event.type === 'operation.finished' && event.operationId === 'call_000002')).toMatchObject({ status: 'failed', exitCode: 4 });
  });

  it('hang the calls of a script under the script', () => {
    const { turn } = recorded('code-mode');
    expect(turn.events.flatMap((event) => (event.type === 'operation.started' && event.operationId.startsWith('exec-') ? [event.parentOperationId] : []))).toStrictEqual(['call_000002', 'call_000004', 'call_000004', 'call_000004', 'call_000010']);
    expect(turn.evidenceCoverage?.actions?.reason).toContain('refused inside a code-mode script');
  });
});

describe('stdout merged with rollouts', () => {
  it.each(['shell-ok', 'shell-parallel', 'shell-compound', 'shell-parsed', 'mcp', 'patch-ok', 'reasoning', 'messages', 'plan', 'web-search', 'subagent-v1', 'code-mode', 'review'])('tells nothing twice (%s)', (name) => {
    const rollout = recorded(name, (all) => all.filter(({ kind }) => kind === 'rollout')).turn.events;
    const both = recorded(name).turn.events;
    expect(both.filter((event) => event.type !== 'error')).toStrictEqual(rollout.filter((event) => event.type !== 'error'));
  });

  it('keeps from stdout the retries and warnings, in their place', () => {
    const { turn } = recorded('disconnect-then-ok');
    const order = turn.events.flatMap((event) => (event.type === 'context.injected' ? [] : [`${event.type} (${event.witness})`]));
    expect(order).toStrictEqual([
      'message (rollout)', 'error (stdout)', 'operation.started (rollout)', 'operation.finished (rollout)', 'error (stdout)', 'message (rollout)',
    ]);
  });

  it('keeps from stdout what the rollout did not get to write', () => {
    const { turn } = recorded('shell-ok', (all) => all.map((witness) => witness.kind !== 'rollout' ? witness : {
      ...witness, bytes: Buffer.from(Buffer.from(witness.bytes).toString('utf8').split('\n').slice(0, 12).join('\n')),
    }));
    expect(turn.events.flatMap((event) => (event.type === 'context.injected' ? [] : [`${event.type} (${event.witness})`]))).toStrictEqual([
      'message (rollout)', 'operation.started (rollout)', 'operation.finished (stdout)', 'message (stdout)',
    ]);
    expect(toolsOf(turn.events)).toStrictEqual([['command_execution', 'completed']]);
  });

  it('is complete in every channel after an untroubled run', () => {
    for (const name of ['shell-ok', 'shell-fail', 'rules-forbidden', 'compaction-auto', 'skill-mention', 'subagent-v1', 'review']) expect(recorded(name).turn.evidenceCoverage).toBeUndefined();
  });

  it('ignores the rollout of another thread', () => {
    const other = fixture('codex', '0.171.0', 'mcp').witnesses.filter(({ kind }) => kind === 'rollout');
    const parsed = recorded('shell-ok', (all) => [...all.filter(({ kind }) => kind !== 'rollout'), ...other]);
    expect(toolsOf(parsed.turn.events)).toStrictEqual([['command_execution', 'completed']]);
    expect(parsed.turn.evidenceCoverage?.actions?.reason).toContain('collect $CODEX_HOME/sessions');
  });

  it('states an interrupt that stdout keeps silent about', () => {
    expect(recorded('int-model').ending).toStrictEqual({ kind: 'failed', reason: 'the turn was interrupted' });
  });
});

describe('context, skills, compaction and subagents from rollouts', () => {
  it('tells what was injected by its kind, and no prompt among it', () => {
    const sources = recorded('agents-md').turn.events.flatMap((event) => (event.type === 'context.injected' ? [event.source] : []));
    expect(sources).toContain('agents_md.instructions');
    expect(recorded('agents-md').turn.events.some((event) => event.type === 'message' && event.role === 'user')).toBe(false);
  });

  it('tells a skill that the prompt named', () => {
    expect(recorded('skill-mention').turn.events.find(({ type }) => type === 'skill.loaded')).toMatchObject({ skill: 'greeter' });
  });

  it('tells a compaction with its sizes, and its summary as injected context, never as an answer', () => {
    const { turn } = recorded('compaction-auto');
    expect(turn.events.find(({ type }) => type === 'compaction')).toMatchObject({ reason: 'auto', tokensBefore: 30_040 });
    expect(turn.events.flatMap((event) => (event.type === 'message' ? [event.text] : []))).toStrictEqual(['Finished after compaction.']);
  });

  it.each(['subagent-v1', 'subagent-v2'])('hangs a subagent\'s own work under its spawn (%s)', (name) => {
    const { turn } = recorded(name);
    const spawn = turn.events.find((event) => event.type === 'operation.started' && event.operation.kind === 'subagent');
    const id = spawn?.type === 'operation.started' ? spawn.operationId : undefined;
    expect(turn.events.filter((event) => event.parentOperationId === id && event.type === 'message').map((event) => 'text' in event && event.text)[0]).toBe('CHILD RESULT: subtracts instead of adding.');
    expect(turn.events.find((event) => event.type === 'operation.finished' && event.operationId === id)).toMatchObject({ kind: 'subagent', status: 'completed', output: 'CHILD RESULT: subtracts instead of adding.' });
  });

  it('leaves out the words of the CLI\'s own reviewer', () => {
    expect(recorded('auto-review').turn.events.flatMap((event) => (event.type === 'message' ? [event.text] : []))).toStrictEqual(['One was denied, the others allowed.']);
  });

  it('names a thread whose file is missing', () => {
    const parsed = recorded('subagent-v2', (all) => all.filter(({ path }) => path?.includes('7e8def89908f') === true || path === undefined));
    expect(parsed.turn.evidenceCoverage?.messages).toStrictEqual({ status: 'partial', reason: 'no rollout file for the threads 01a229ee-368a-7113-b7f0-97f08b659973' });
  });
});

describe('usage from rollouts', () => {
  const sum = (name: string, change?: (all: readonly Witness[]) => readonly Witness[]) => {
    const { usage } = recorded(name, change).turn;
    return [(usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheCreationTokens ?? 0), usage?.outputTokens];
  };

  // Sums of what the scripts let the server answer with.
  it.each([
    ['shell-ok', 4_100, 55], ['usage-buckets', 2_100, 110], ['compaction-auto', 93_000, 170],
    ['subagent-v2', 15_060 + 1_100, 149 + 30], ['subagent-v1', 19_590 + 1_750, 189 + 35], ['review', 4_100, 100],
    ['auto-review', 8_450 + 700 + 710 + 710, 130 + 90], ['kill-kill', 2_000, 40], ['int-model', 2_000, 40],
  ])('of %s is what the model server answered', (name, input, output) => {
    expect(sum(name)).toStrictEqual([input, output]);
  });

  it('splits it by model', () => {
    expect(Object.keys(recorded('shell-ok').turn.usage?.models ?? {})).toStrictEqual(['gpt-5.5']);
  });

  it('counts growth only, when a version repeats a running total', () => {
    const count = (total: number): object => ({ type: 'event_msg', timestamp: '2026-01-01T00:00:00.000Z', payload: { type: 'token_count', info: { total_token_usage: { input_tokens: total, output_tokens: 0 } } } });
    const bytes = linesOf({ type: 'session_meta', payload: { id: 't', source: 'exec' } }, count(1_000), count(1_000), { type: 'event_msg', payload: { type: 'token_count', info: null } }, count(1_000), count(3_300));
    expect(parseCodexExec([{ kind: 'rollout', path: 'r.jsonl', bytes }], { exitCode: 0 }).turn.usage?.inputTokens).toBe(3_300);
  });

  it('is partial when a request was cut', () => {
    expect(recorded('disconnect-then-ok').turn.evidenceCoverage?.usage?.reason).toContain('cut or failed');
  });
});

describe('a CLI that did not start', () => {
  it('is not told the work of earlier threads that lies on the same disk', () => {
    const parsed = recorded('shell-ok', (all) => [{ kind: 'stdout', bytes: new Uint8Array(0) }, ...all.filter(({ kind }) => kind === 'rollout')]);
    expect([parsed.ending.kind, parsed.turn.events, parsed.turn.usage]).toStrictEqual(['nothing', [], undefined]);
  });
});

describe('rollouts of versions before 0.32', () => {
  it('are told by the bare history of the model', () => {
    const bytes = linesOf(
      { id: 't', timestamp: '2025-07-01T00:00:00.000Z', instructions: null },
      { record_type: 'state' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list' }] },
      { type: 'function_call', name: 'shell', arguments: '{"command":["bash","-lc","ls"]}', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1', output: '{"output":"a\\n","metadata":{"exit_code":2,"duration_seconds":0.1}}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    );
    const { turn } = parseCodexExec([{ kind: 'rollout', path: 'r.jsonl', bytes }], { exitCode: null }, { emitPrompt: true });
    expect(turn.events).toMatchObject([
      { type: 'context.injected' },
      { type: 'message', role: 'user', text: 'list' },
      { type: 'operation.started', operationId: 'c1', operation: { name: 'command_execution', command: { shell: { source: 'ls', shell: 'bash' } } } },
      { type: 'operation.finished', operationId: 'c1', status: 'failed', exitCode: 2, output: 'a\n' },
      { type: 'message', role: 'assistant', text: 'done' },
    ]);
  });
});

describe('several processes on one thread', () => {
  it('each tell their own turn', () => {
    let before: ReturnType<typeof recorded>['after'] | undefined;
    const messages = [1, 2, 3].map((run) => {
      const { witnesses, end } = fixture('codex', '0.171.0', `resume-run-${run}`);
      // What lay on disk after that process.
      const lines = [18, 35, 46][run - 1];
      const early = witnesses.map((witness) => witness.kind !== 'rollout' ? witness : { ...witness, bytes: Buffer.from(Buffer.from(witness.bytes).toString('utf8').split('\n').slice(0, lines).join('\n')) });
      const parsed = parseCodexExec(early, end, { prompt: 'x', ...(before === undefined ? {} : { before }) });
      before = parsed.after;
      return parsed.turn.events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
    });
    expect(messages).toStrictEqual([['First answer.'], ['Second answer.'], ['Third answer.']]);
  });

  it.each([[1, 'First answer.'], [2, 'Second answer.'], [3, 'Third answer.']])('can be told apart by the total that stdout printed (run %i)', (run, text) => {
    expect(recorded(`resume-run-${run}`).turn.events.flatMap((event) => (event.type === 'message' ? [event.text] : []))).toStrictEqual([text]);
  });
});
