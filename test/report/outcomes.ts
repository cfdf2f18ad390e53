import type { AttemptOutcome, RunReport } from '../../src/report/run-report.js';

/** An Attempt that passed, but for what is said otherwise. */
export function outcome(changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
  return {
    id: 'a1', evalId: 'fix-sum', experimentId: 'codex', index: 1, agent: 'codex', verdict: 'passed', reasons: [], durationMs: 1500,
    startedAt: '2026-11-30T15:57:32.250Z', usage: {}, noClaims: false, ...changes,
  };
}

export function runOf(attempts: readonly AttemptOutcome[], changes: Partial<RunReport> = {}): RunReport {
  return { runId: '20261130-155732-5a1efc', startedAt: '2026-11-30T15:57:32.000Z', durationMs: 61_200, interrupted: false, notRun: [], attempts, ...changes };
}

/** What an agent may say to be taken for something else, each with how it is shown on a line. */
export const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['ANSI', '\u001b[31mred\u001b[0m\u009b1m', '\\u001b[31mred\\u001b[0m\\u009b1m'],
  ['the end of CDATA', 'a]]>b<![CDATA[c', 'a]]>b<![CDATA[c'],
  ['a script', '</code><script>alert(1)</script><img src=x onerror=alert(1)>', '</code><script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['entities', '&lt;b&gt; &amp;amp; &#60;i&#62; &undefined;', '&lt;b&gt; &amp;amp; &#60;i&#62; &undefined;'],
  ['quotes', `" onload='x' "`, `" onload='x' "`],
  ['a command', '::error::x', '::error::x'],
  ['a command on a line of its own', 'a\n::error file=b,title=c::d\r\n##[error]e', 'a | ::error file=b,title=c::d\\u000d | ##[error]e'],
  ['escapes of commands', '100%25 %0A::warning::x %3A', '100%25 %0A::warning::x %3A'],
  ['bars', 'a | b \\| c || d |', 'a | b \\| c || d |'],
  ['backticks', '``` `x` ``', '``` `x` ``'],
  ['a lone backtick', '`', '`'],
  ['a backslash at the end', 'a\\', 'a\\'],
  ['Markdown', '# h **b** [x](https://example.com) ![y](https://example.com/y.png) <https://example.com> https://example.com www.example.com a@example.com @someone #1', '# h **b** [x](https://example.com) ![y](https://example.com/y.png) <https://example.com> https://example.com www.example.com a@example.com @someone #1'],
  ['a list, a fence and a table on lines of their own', '- a\n```\n| b |\n|---|\n<!--', '- a | ``` | | b | | |---| | <!--'],
  ['NUL and other control characters', 'a\u0000b\u0008c\u000bd\u007f', 'a\\u0000b\\u0008c\\u000bd\\u007f'],
  ['lone surrogates', 'a\ud800b\udc00c', 'a\\ud800b\\udc00c'],
  ['noncharacters', 'a\ufffeb\uffffc', 'a\\ufffeb\\uffffc'],
  ['a pair of surrogates', 'a🙂b', 'a🙂b'],
  ['text turned around', 'a\u202eb\u2028c', 'a\\u202eb\\u2028c'],
];
