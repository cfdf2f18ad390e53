import { currentOwner, formatOwner } from '../owner.js';

/** On everything that niceeval makes in an engine. */
export const LABEL = 'niceeval';
export const RUN_LABEL = 'niceeval.run';
export const ATTEMPT_LABEL = 'niceeval.attempt';
/** The user that the agent of a sandbox runs as. */
export const USER_LABEL = 'niceeval.user';
export const OWNER_LABEL = 'niceeval.owner';
/** What the resource is for: `sandbox`, `network`, `holder`, `service`, `probe`, `build`, `image`, `prepared`. */
export const ROLE_LABEL = 'niceeval.role';

/** The labels of a resource that lives as long as this process at the most. */
export function labelsOf(role: string, runId: string, attemptId?: string): Record<string, string> {
  return {
    [LABEL]: '1',
    [ROLE_LABEL]: role,
    [RUN_LABEL]: runId,
    [OWNER_LABEL]: formatOwner(currentOwner()),
    ...(attemptId === undefined ? {} : { [ATTEMPT_LABEL]: attemptId }),
  };
}

const KEPT = 'niceeval-kept-';

/** The name of a container that is kept for people. Labels of a living container cannot be changed; its name can. */
export function keptNameOf(runId: string, attemptId: string): string {
  return `${KEPT}${runId}-${attemptId}`;
}

/** Whether a container was given such a name. */
export function isKeptName(name: string): boolean {
  return name.startsWith(KEPT);
}
