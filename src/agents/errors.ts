import type { Turn } from '../evidence/turn.js';
import { NiceEvalError } from '../lifetime/error.js';

/** Why a send came to nothing that could be judged. */
export type SendFailureKind =
  /** The CLI is not in the image, or could not be started. */
  | 'not-started'
  /** The CLI said nothing that was understood, or no end. */
  | 'no-end'
  /** The model service refused or failed. */
  | 'api-error'
  /** The harness ended the CLI: its time was up or the run was interrupted. */
  | 'stopped';

/** A send that did not end in a turn. What was seen until then is kept. */
export class AgentSendError extends NiceEvalError {
  readonly code = 'agent-send-failed';
  constructor(
    message: string,
    readonly facts: {
      readonly kind: SendFailureKind;
      readonly agent: string;
      /** Events, usage and coverage as far as they go. */
      readonly turn?: Turn;
      readonly exitCode?: number | null;
      /** What the model service answered with, of an `api-error`. Absent: not known. */
      readonly httpStatus?: number;
      /** The end of what the CLI wrote to its standard error. */
      readonly stderrTail?: string;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A send asks for something that the agent cannot do, for instance look at a file of an unknown kind. */
export class AgentInputError extends NiceEvalError {
  readonly code = 'agent-input';
}

/** True for an {@link AgentSendError}, also of another copy of the package. */
export function isAgentSendError(error: unknown): error is AgentSendError {
  return error instanceof Error && (error as { code?: unknown }).code === 'agent-send-failed';
}
