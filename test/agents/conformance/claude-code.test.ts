import { describe } from 'vitest';
import { createClaudeCodeParser, parseClaudeCode } from '../../../src/agents/claude-code/parse.js';
import type { TranscriptSubject } from '../../../src/agents/conformance/transcript-subject.js';
import { fixture, fixturesOf } from '../fixtures.js';
import { isOneOf, itConforms, onlyOf, recordedOf, stderrOf } from './recorded.js';

const OPTIONS = { prompt: 'known to the harness' };

const parse: TranscriptSubject['parse'] = (witnesses, end) => parseClaudeCode(witnesses, end, OPTIONS);

describe('the parser of Claude Code', () => {
  itConforms({
    name: 'Claude Code',
    parse,
    createParser(beside) {
      const parser = createClaudeCodeParser(OPTIONS, beside.filter(({ kind }) => kind === 'session'));
      return { push: (bytes) => parser.push(bytes), end: (end) => parser.end(end, stderrOf(beside)) };
    },
    // The ones without stdout are told by their sessions, below.
    transcripts: fixturesOf('claude-code', '2.1.197').filter(({ stdout }) => stdout.length > 0).map(recordedOf),
    isEndEvent: isOneOf(['type'], ['result']),
  });

  itConforms({
    name: 'Claude Code sessions alone',
    parse,
    transcripts: ['parallel-tools', 'subagent-basic', 'bash-non-utf8', 'compact-auto', 'permission-default', 'sigkill-in-tool']
      // A session file does not tell how the run ended.
      .map((name) => ({ ...onlyOf('session', recordedOf(fixture('claude-code', '2.1.197', name))), completed: false })),
    isEndEvent: () => false,
  });
});
