import { describe } from 'vitest';
import { createCodexAppServerParser, createCodexExecParser, parseCodexAppServer, parseCodexExec, type CodexParser } from '../../../src/agents/codex/parse.js';
import type { StreamingParser } from '../../../src/agents/conformance/transcript-subject.js';
import type { Witness } from '../../../src/agents/transcript.js';
import { fixture, fixturesOf } from '../fixtures.js';
import { isOneOf, itConforms, onlyOf, recordedOf, stderrOf } from './recorded.js';

const OPTIONS = { prompt: 'known to the harness' };

const streaming = (parser: CodexParser, beside: readonly Witness[]): StreamingParser => ({
  push: (bytes) => parser.push(bytes),
  end: (end) => parser.end(end, stderrOf(beside), beside.filter(({ kind }) => kind === 'rollout')),
});

const runs = fixturesOf('codex', '0.171.0').filter(({ stdout }) => stdout.length > 0);

describe('the parser of codex exec', () => {
  itConforms({
    name: 'codex exec',
    parse: (witnesses, end) => parseCodexExec(witnesses, end, OPTIONS),
    createParser: (beside) => streaming(createCodexExecParser(OPTIONS), beside),
    transcripts: runs.filter(({ name }) => !name.startsWith('app-')).map(recordedOf),
    isEndEvent: isOneOf(['type'], ['turn.completed', 'turn.failed']),
  });

  itConforms({
    name: 'Codex rollouts alone',
    parse: (witnesses, end) => parseCodexExec(witnesses, end, OPTIONS),
    transcripts: ['shell-big-output', 'code-mode', 'shell-parallel', 'mcp', 'patch-fail', 'compaction-auto'].map((name) => onlyOf('rollout', recordedOf(fixture('codex', '0.171.0', name)))),
    isEndEvent: isOneOf(['payload', 'type'], ['task_complete', 'turn_aborted']),
  });
});

describe('the parser of codex app-server', () => {
  itConforms({
    name: 'codex app-server',
    parse: (witnesses, end) => parseCodexAppServer(witnesses, end, OPTIONS),
    createParser: (beside) => streaming(createCodexAppServerParser(OPTIONS), beside),
    transcripts: runs.filter(({ name }) => name.startsWith('app-')).map(recordedOf),
    isEndEvent: isOneOf(['method'], ['turn/completed']),
    unknownLine: '{"method":"niceeval/conformance","params":{"text":"from a version that is not out yet"}}',
  });
});
