import { describe, expect, test } from 'vitest';
import type { ScenarioResult } from '../../src/scenario/result.js';
import { ResultLines, type LineSink } from '../../src/scenario/result-lines.js';

const result = (id: string): ScenarioResult => ({
  scenario_id: id, profile: 'fake', passed: true, failures: [], elapsed_ms: 1, event_types: [], tool_invocations: 0, tool_failures: 0, turns_count: 1, trajectory_actions: [],
  trajectory_step_count: 0, mcp_enabled: false, hooks_enabled: false,
});

/** Keeps lines; the one of `refuses` cannot be written. */
function keeper(refuses?: string): LineSink & { readonly ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    write: (line) => {
      const { scenario_id: id } = JSON.parse(line) as { scenario_id: string };
      if (id === refuses) return Promise.reject(new Error('no space left'));
      ids.push(id);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

describe('lines', () => {
  test('are in the order of the file, each as soon as its turn has come', async () => {
    const sink = keeper();
    const written: string[] = [];
    const lines = new ResultLines({ order: ['a', 'b', 'c', 'd'], sink, onWritten: ({ scenario_id: id }) => written.push(id), onFailure: () => undefined });
    lines.take('c', result('c'));
    lines.take('b', result('b'));
    expect(sink.ids).toEqual([]);
    lines.take('a', result('a'));
    await lines.end();
    expect([sink.ids, written]).toEqual([['a', 'b', 'c'], ['a', 'b', 'c']]);
  });

  test('are left out where there is none, and hold up nobody', async () => {
    const sink = keeper();
    const lines = new ResultLines({ order: ['a', 'b', 'c'], sink, onWritten: () => undefined, onFailure: () => undefined });
    lines.take('c', result('c'));
    lines.take('a');
    await lines.end();
    expect(sink.ids).toEqual(['c']);
  });

  test('are written no more after one that could not be', async () => {
    const sink = keeper('b');
    let failures = 0;
    const lines = new ResultLines({ order: ['a', 'b', 'c'], sink, onWritten: () => undefined, onFailure: () => { failures += 1; } });
    for (const id of ['a', 'b', 'c']) lines.take(id, result(id));
    await expect(lines.end()).rejects.toThrow('no space left');
    expect([sink.ids, failures]).toEqual([['a'], 1]);
  });

  test('have a trace that is read when they are written', async () => {
    const texts: string[] = [];
    const lines = new ResultLines({
      order: ['a'], sink: { write: (line) => Promise.resolve(void texts.push(line)), close: () => Promise.resolve() }, traceOf: ({ scenario_id: id }) => Promise.resolve([{ of: id }]),
      onWritten: (told) => expect(told.trace).toBeUndefined(), onFailure: () => undefined,
    });
    lines.take('a', result('a'));
    await lines.end();
    expect(texts.map((text) => (JSON.parse(text) as { trace: unknown }).trace)).toEqual([[{ of: 'a' }]]);
  });
});
