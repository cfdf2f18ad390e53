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
  /** A fault of the harness, of an adapter, or of an experiment's own set-up. */
  | 'harness'
  /** The author's own code broke, or a claim was made wrongly. */
  | 'eval'
  /** A claim could not be told. */
  | 'evidence'
  /** The budget was spent. */
  | 'budget'
  /** The run was interrupted. */
  | 'interrupted';
