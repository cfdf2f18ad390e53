/** The group that an experiment is compared in: the first part of its id. One at the root of `experiments/` is a group of its own. */
export function experimentGroupOf(experimentId: string): string {
  return experimentId.split('/', 1)[0] ?? experimentId;
}
