import type { SpecFit } from '../backend.js';
import type { SandboxSpec } from '../sandbox.js';

/** What a folder of this machine cannot give: neither an image with its users, nor a runtime, nor limits. */
export function localFit(spec: SandboxSpec): SpecFit {
  const asked = (field: 'image' | 'user' | 'workdir' | 'runtime'): readonly string[] => (spec[field] === undefined ? [] : [`${field} "${spec[field]}"`]);
  return {
    refused: [...asked('image'), ...asked('user'), ...asked('workdir'), ...asked('runtime'), ...(spec.readOnlyRoot === true ? ['root that cannot be written'] : [])],
    ignored: Object.entries(spec.resources ?? {}).map(([limit, value]) => `limit ${limit} (${String(value)})`),
  };
}
