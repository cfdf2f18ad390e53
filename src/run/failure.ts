import type { AttemptError } from './result.js';

/**
 * What broke an Attempt. All but the last four are failures of the infrastructure: they say nothing about the agent.
 */
export type FailureKind =
  /** The container engine, or a sandbox that ended before the harness ended it. */
  | 'engine'
  /** An image could not be made or found. */
  | 'image'
  /** No way to the model or to a host. */
  | 'network'
  /** The model service said "too many". */
  | 'rate-limit'
  /** The model service did not accept the key. */
  | 'auth'
  /** The model service broke, or was overloaded. */
  | 'model-service'
  /** The CLI could not be started, crashed, or said no end. */
  | 'cli-crash'
  /** Time ran out. */
  | 'timeout'
  /** A fault of the harness or of an adapter. */
  | 'harness'
  /** The author's own code broke, or a claim was made wrongly. */
  | 'eval'
  /** A claim could not be told. */
  | 'evidence'
  /** The budget was spent. */
  | 'budget'
  /** The run was interrupted. */
  | 'interrupted';

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
  'ECONNREFUSED': 'network', 'ECONNRESET': 'network', 'ENOTFOUND': 'network', 'EAI_AGAIN': 'network', 'ENETUNREACH': 'network', 'EHOSTUNREACH': 'network', 'ETIMEDOUT': 'network',
  'deadline-exceeded': 'timeout',
  'workspace-scan': 'harness', 'record-failed': 'harness', 'agent-threw': 'harness', 'agent-ignored-end': 'harness', 'agent-turn': 'harness', 'collect-workspace': 'harness',
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
