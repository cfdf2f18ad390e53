import type { AgentContext } from '../agent.js';
import { abortChecks } from './aborts.js';
import type { AgentSubject } from './agent-subject.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { declarationChecks } from './declarations.js';
import { questionChecks } from './questions.js';
import { sendChecks } from './sends.js';

/**
 * What an agent owes, as checks for any test runner: `for (const { title, run } of agentConformance(subject)) it(title, run)`.
 * Each check opens a context of its own and sends at most a few messages; give the runner time for that.
 *
 * @throws TypeError for an empty prompt.
 */
export function agentConformance<C extends AgentContext>(subject: AgentSubject<C>): readonly ConformanceCheck[] {
  if (subject.prompt.trim() === '') throw new TypeError(`agentConformance() needs a \`prompt\` that "${subject.agent.name}" can complete; it is empty.`);
  return [...declarationChecks(subject), ...sendChecks(subject), ...abortChecks(subject), ...questionChecks(subject)];
}
