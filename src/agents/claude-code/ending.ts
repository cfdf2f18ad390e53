import type { ProcessEnd, TranscriptEnding } from '../transcript.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';

/** What is known of a process when its record has been read. */
export interface EndingFacts {
  readonly lastResult: Fields | undefined;
  /** The agent went on after the last result line. */
  readonly wentOn: boolean;
  /** A question stands unanswered. */
  readonly asking: boolean;
  readonly stdout: 'understood' | 'garbled' | 'absent';
  readonly understood: number;
  readonly stderr: string;
  readonly promptBlocked: string | undefined;
  readonly refusal: string | undefined;
  readonly apiError: string | undefined;
  /** The harness asked for structured output. */
  readonly wantsData: boolean;
}

/** How a process came out. `is_error` decides, not `subtype`: an API failure is a "success" with `is_error`. */
export function endingOf(facts: EndingFacts, end: ProcessEnd): TranscriptEnding {
  const { lastResult } = facts;
  if (facts.understood === 0) return { kind: 'nothing', reason: nothingReasonOf(facts, end) };
  if (facts.asking && end.exitCode === null && end.signal === undefined && end.stoppedByHarness !== true) return { kind: 'waiting' };
  if (end.stoppedByHarness === true) {
    // claude-code 2.1.197: SIGTERM in a foreground subagent ends in a success line and exit 0; fixtures/agents/claude-code/2.1.197/sigterm-subagent-late.
    return { kind: 'incomplete', reason: `the harness stopped the CLI${end.signal === undefined ? '' : ` (${end.signal})`} before it was done` };
  }
  if (lastResult === undefined) {
    return { kind: 'incomplete', reason: `${MISSING_END[facts.stdout]}; ${processOf(end)}` };
  }
  if (facts.wentOn) return { kind: 'incomplete', reason: `the agent went on after the last result line and that turn has none; ${processOf(end)}` };
  return lastResult['is_error'] === true || (nameOf(lastResult['subtype']) ?? 'success') !== 'success'
    ? errorEndingOf(facts, lastResult)
    : successEndingOf(facts, lastResult);
}

const MISSING_END = {
  understood: 'stdout has no result line',
  garbled: 'nothing on stdout was understood, and a session file does not tell how the run ended',
  absent: 'there is no stdout, and a session file does not tell how the run ended',
} as const;

function errorEndingOf(facts: EndingFacts, result: Fields): TranscriptEnding {
  const errors = listOf(result['errors']).filter((error): error is string => typeof error === 'string' && !error.startsWith('[ede_diagnostic]'));
  const text = nameOf(result['result']) ?? nameOf(errors.join('; '));
  const subtype = nameOf(result['subtype']) ?? 'error';
  const terminal = nameOf(result['terminal_reason']);
  if (subtype !== 'success') {
    const why = terminal === undefined || terminal === 'completed' ? subtype : `${subtype}, ${terminal}`;
    return { kind: 'failed', reason: text === undefined ? why : `${why}: ${text}` };
  }
  if (facts.refusal !== undefined || result['stop_reason'] === 'refusal') return { kind: 'failed', reason: `refusal: ${nameOf(facts.refusal) ?? text ?? 'the model refused'}` };
  const httpStatus = countOf(result['api_error_status']) ?? (text === undefined ? undefined : statusIn(text));
  const limit = terminal === 'prompt_too_long' || terminal === 'blocking_limit' || facts.apiError === 'max_output_tokens';
  // The context or the answer outgrew its limit: the service did what it had to.
  if (limit) return { kind: 'failed', reason: `${terminal ?? 'max_output_tokens'}: ${text ?? 'no text'}` };
  return {
    kind: 'api-error',
    reason: text ?? facts.apiError ?? terminal ?? 'the model service failed',
    ...(httpStatus === undefined ? {} : { httpStatus }),
  };
}

function successEndingOf(facts: EndingFacts, result: Fields): TranscriptEnding {
  const text = textOf(result['result']) ?? '';
  if (facts.promptBlocked !== undefined && result['num_turns'] === 0) return { kind: 'failed', reason: `a hook blocked the prompt: ${facts.promptBlocked}` };
  if (/^Unknown (?:slash command|command|skill): /.test(text) && result['num_turns'] === 0) return { kind: 'failed', reason: `the prompt never reached the model: ${text}` };
  if (result['stop_reason'] === 'refusal') return { kind: 'failed', reason: `refusal: ${text}` };
  if (result['stop_reason'] === 'max_tokens') return { kind: 'failed', reason: 'the answer was cut at the output limit (stop_reason max_tokens)' };
  const terminal = nameOf(result['terminal_reason']);
  if (terminal !== undefined && terminal !== 'completed' && terminal !== 'background_requested') return { kind: 'failed', reason: `terminal_reason ${terminal}` };
  if (facts.wantsData && result['structured_output'] === undefined) return { kind: 'failed', reason: 'structured output was asked for and the result line has none' };
  return { kind: 'completed' };
}

function nothingReasonOf(facts: EndingFacts, end: ProcessEnd): string {
  const said = facts.stderr.trim().slice(-500);
  return `not one line of the record was understood; ${processOf(end)}${said === '' ? '' : `; stderr ends: ${said}`}`;
}

/** How the process ended, in words. */
export function processOf(end: ProcessEnd): string {
  if (end.signal !== undefined) return `the process was ended by ${end.signal}`;
  return end.exitCode === null ? 'its exit code is not known' : `the process exited with ${end.exitCode}`;
}

function statusIn(text: string): number | undefined {
  const status = /API Error: (\d{3})\b/.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** The structured output of a result line. */
export function dataOf(result: Fields | undefined): unknown {
  return result === undefined ? undefined : fieldsOf(result)?.['structured_output'];
}
