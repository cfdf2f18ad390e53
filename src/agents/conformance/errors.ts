import { NonConformance } from '../../sandbox/conformance/errors.js';

/** An adapter does not conform. Thrown by `run` of a check. */
export class ConformanceError extends NonConformance {
  readonly code = 'adapter-conformance';
}
