import { describe, expect, test } from 'vitest';
import { activityOf, type ActivitySummary } from '../../src/evidence/activity.js';
import { commandProjection, opaqueCommandProjection, notCommandProjection } from '../../src/evidence/command-projection.js';
import type { StreamEvent, ToolOperation } from '../../src/evidence/events.js';

const NOTHING: ActivitySummary = {
  totalTurns: 0, toolCalls: {}, totalToolCalls: 0, filesRead: [], filesModified: [], shellCommands: [], webFetches: [], errors: 0, thinkingBlocks: 0, compactions: 0,
};

let ids = 0;

/** A whole call of a tool. */
function used(operation: Partial<ToolOperation>, status: 'completed' | 'failed' | 'rejected' = 'completed', exitCode?: number): readonly StreamEvent[] {
  const operationId = `call_${ids += 1}`;
  return [
    { type: 'operation.started', operationId, operation: { kind: 'tool', name: 'Tool', input: {}, ...operation } },
    { type: 'operation.finished', operationId, kind: 'tool', status, ...(exitCode === undefined ? {} : { exitCode }) },
  ];
}

describe('activityOf', () => {
  test.each<[string, readonly (readonly StreamEvent[])[], Partial<ActivitySummary>]>([
    ['nothing', [], {}],
    ['calls by their canonical names', [[...used({ tool: 'shell' }), ...used({ tool: 'shell' }), ...used({ tool: 'grep' }), ...used({ tool: 'unknown' }), ...used({})]], { toolCalls: { shell: 2, grep: 1, unknown: 2 }, totalToolCalls: 5 }],
    ['calls of all sessions, whose ids are their own', [
      [{ type: 'operation.started', operationId: 'a', operation: { kind: 'tool', name: 'A', input: {}, tool: 'glob' } }],
      [{ type: 'operation.started', operationId: 'a', operation: { kind: 'tool', name: 'B', input: {}, tool: 'glob' } }],
    ], { toolCalls: { glob: 2 }, totalToolCalls: 2 }],
    ['files that were read, each once and as they were written', [[
      ...used({ tool: 'file_read', input: { file_path: '/repo/a.ts' } }), ...used({ tool: 'file_read', input: { path: 'a.ts' } }), ...used({ tool: 'file_read', input: { file_path: '/repo/a.ts' } }, 'failed'),
      ...used({ tool: 'file_read', input: { other: 'b.ts' } }), ...used({ tool: 'file_read', input: 'c.ts' }), ...used({ tool: 'file_read', input: { file_path: 5 } }),
    ]], { toolCalls: { file_read: 6 }, totalToolCalls: 6, filesRead: ['/repo/a.ts', 'a.ts'] }],
    ['files that were written or edited', [[
      ...used({ tool: 'file_write', input: { file_path: 'a' } }), ...used({ tool: 'file_edit', input: { notebook_path: 'b.ipynb' } }), ...used({ tool: 'file_edit', input: { file_path: 'a' } }),
    ]], { toolCalls: { file_write: 1, file_edit: 2 }, totalToolCalls: 3, filesModified: ['a', 'b.ipynb'] }],
    // Codex names the files of a patch in a list, or as keys.
    ['files of a patch', [[
      ...used({ tool: 'file_edit', input: { changes: [{ path: 'a', kind: 'add' }, { kind: 'update' }] } }), ...used({ tool: 'file_edit', input: { changes: { b: { type: 'add' }, c: { type: 'update' } } } }),
    ]], { toolCalls: { file_edit: 2 }, totalToolCalls: 2, filesModified: ['a', 'b', 'c'] }],
    ['shell commands with how they ended', [[
      ...used({ tool: 'shell', command: commandProjection({ state: 'available', executable: 'git', args: ['status', '-s'] }) }, 'completed', 0),
      ...used({ tool: 'shell', command: opaqueCommandProjection('compound-shell', { source: 'npm test | tee log' }) }, 'failed', 1),
      ...used({ tool: 'shell', command: opaqueCommandProjection('redacted') }), ...used({ tool: 'shell', command: notCommandProjection() }), ...used({ tool: 'shell' }),
    ]], { toolCalls: { shell: 5 }, totalToolCalls: 5, shellCommands: [{ command: 'git status -s', status: 'completed', exitCode: 0 }, { command: 'npm test | tee log', status: 'failed', exitCode: 1 }] }],
    ['a shell command that has not ended', [used({ tool: 'shell', command: opaqueCommandProjection('compound-shell', { source: 'sleep 9' }) }).slice(0, 1)], { toolCalls: { shell: 1 }, totalToolCalls: 1, shellCommands: [{ command: 'sleep 9', status: 'pending' }] }],
    ['pages that were fetched', [[...used({ tool: 'web_fetch', input: { url: 'https://a.com' } }), ...used({ tool: 'web_fetch', input: { url: 'https://a.com' } }), ...used({ tool: 'web_search', input: { query: 'a' } })]], { toolCalls: { web_fetch: 2, web_search: 1 }, totalToolCalls: 3, webFetches: ['https://a.com'] }],
    ['errors, thoughts and compactions', [
      [{ type: 'error', message: 'a' }, { type: 'error', message: 'b', recovered: true }, { type: 'thinking', text: 'hm' }, { type: 'compaction' }], [{ type: 'compaction' }, { type: 'compaction' }],
    ], { errors: 2, thinkingBlocks: 1, compactions: 3 }],
    ['no delegation among the calls', [[{ type: 'operation.started', operationId: 'a', operation: { kind: 'subagent', name: 'helper' } }]], {}],
  ])('sums up %s', (_what, sessions, summary) => {
    expect(activityOf(sessions, 3)).toEqual({ ...NOTHING, totalTurns: 3, ...summary });
  });
});
