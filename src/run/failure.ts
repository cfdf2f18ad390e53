import type { FailureKind } from '../evidence/failure-kind.js';
import type { AttemptError } from './result.js';

const NOT_INFRASTRUCTURE: ReadonlySet<FailureKind> = new Set(['eval', 'evidence', 'budget', 'interrupted']);

/** Why an Attempt is errored. */
export interface AttemptFailure {
  readonly kind: FailureKind;
  /** True: the world broke, and nothing was learnt about the agent. */
  readonly infrastructure: boolean;
}

/** By the stable code of an error. Codes of Node's network calls stand beside our own. */
const BY_CODE: { readonly [code: string]: FailureKind } = {
  'engine-unavailable': 'engine', 'engine-context': 'engine', 'engine-call-failed': 'engine', 'engine-silent': 'engine', 'sandbox-gone': 'engine', 'sandbox-cleanup': 'engine',
  'sandbox-process': 'engine',
  'image': 'image',
  'gateway-gone': 'network', 'gateway-refused': 'network', 'gateway-egress': 'network', 'gateway-session-taken': 'harness', 'gateway-session-unknown': 'harness',
  'gateway-fault': 'harness', 'gateway-upstream': 'network', 'model-key': 'auth', 'cassette-lacks': 'harness',
  'ECONNREFUSED': 'network', 'ECONNRESET': 'network', 'ENOTFOUND': 'network', 'EAI_AGAIN': 'network', 'ENETUNREACH': 'network', 'EHOSTUNREACH': 'network', 'ETIMEDOUT': 'network',
  'deadline-exceeded': 'timeout',
  'experiment-fatal': 'eval', 'eval-fatal': 'eval',
  'workspace-scan': 'harness', 'record-failed': 'harness', 'agent-threw': 'harness', 'agent-ignored-end': 'harness', 'agent-turn': 'harness', 'collect-workspace': 'harness',
  'regrade-mismatch': 'eval', 'regrade-restore': 'harness',
  'interrupted': 'interrupted', 'budget-exceeded': 'budget', 'experiment-setup-failed': 'harness',
};

/** Of an errored Attempt: what broke it. Without an error of its own, a claim could not be told. */
export function failureOf(error: AttemptError | undefined): AttemptFailure {
  const kind = error === undefined ? 'evidence' : kindOf(error);
  return { kind, infrastructure: !NOT_INFRASTRUCTURE.has(kind) };
}

function kindOf({ code, phase, send }: AttemptError): FailureKind {
  if (send !== undefined) return kindOfSend(send);
  return BY_CODE[code] ?? (phase === 'test' || phase === 'claims' ? 'eval' : 'harness');
}

function kindOfSend({ kind, httpStatus }: NonNullable<AttemptError['send']>): FailureKind {
  switch (kind) {
    case 'not-started':
    case 'no-end': return 'cli-crash';
    case 'stopped': return 'timeout';
    case 'api-error':
      if (httpStatus === 429) return 'rate-limit';
      return httpStatus === 401 || httpStatus === 403 ? 'auth' : 'model-service';
  }
}
