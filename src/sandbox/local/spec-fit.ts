import type { SpecFit } from '../backend.js';
import { stepText, type PrepareStep } from '../prepare/step.js';
import type { SandboxSpec } from '../sandbox.js';

/** What a folder of this machine cannot give: neither an image with its users, nor a runtime, nor limits. */
export function localFit(spec: SandboxSpec): SpecFit {
  const asked = (field: 'image' | 'user' | 'workdir' | 'runtime'): readonly string[] => (spec[field] === undefined ? [] : [`${field} "${spec[field]}"`]);
  return {
    refused: [...asked('image'), ...asked('user'), ...asked('workdir'), ...asked('runtime'), ...(spec.readOnlyRoot === true ? ['root that cannot be written'] : []), ...(spec.writes === undefined ? [] : ['limits of what may be written']), ...usersOf(spec.steps ?? [])],
    ignored: Object.entries(spec.resources ?? {}).map(([limit, value]) => `limit ${limit} (${String(value)})`),
  };
}

/** Everything runs as the user of the harness, steps too. */
function usersOf(steps: readonly PrepareStep[]): readonly string[] {
  return steps.flatMap((step) => ('user' in step && step.user !== undefined ? [`user "${step.user}" of the step ${stepText(step)}`] : []));
}
