import type { KnownChanges } from '../evidence/file-changes.js';
import { unavailable } from '../expect/match.js';
import type { ClaimOutcome } from './claim.js';
import type { ClaimSpec } from './entry.js';
import type { FileEvidence, ReadFiles } from './file-evidence.js';

/** A claim about what the agent changed: judged at the end of the Attempt, and unavailable where the changes are. */
export function changesClaim(read: ReadFiles, description: string, judge: (changes: KnownChanges, content: FileEvidence['content']) => ClaimOutcome | Promise<ClaimOutcome>): ClaimSpec {
  return {
    description,
    atEnd: true,
    evaluate: () => {
      const { changes, content } = read();
      return changes.state === 'unavailable' ? unavailable('changes-unavailable', changes.reason) : judge(changes, content);
    },
  };
}
