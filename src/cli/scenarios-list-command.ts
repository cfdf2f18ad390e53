import { resolve } from 'node:path';
import { discoverConfig } from '../plan/discover.js';
import { AuthoringError } from '../plan/errors.js';
import { plainLine } from '../report/plain-text.js';
import { createProfiles } from '../scenario/profiles.js';
import { readScenarios } from '../scenario/read-scenarios.js';
import { selectScenarios } from '../scenario/select.js';
import { EXIT } from './exit-codes.js';
import { remark, say } from './output.js';

/** Options of `niceeval scenarios list`, as commander hands them over. */
export interface ScenariosListFlags {
  readonly scenarios: string;
  readonly tags: readonly string[];
  readonly tag: readonly string[];
  readonly excludeTag: readonly string[];
  readonly format: 'text' | 'json';
  readonly validate?: boolean;
}

/** `niceeval scenarios list`. */
export async function scenariosListCommand({ scenarios, tags, tag, excludeTag, format, validate }: ScenariosListFlags): Promise<number> {
  const all = await readScenarios(resolve(scenarios));
  if (validate === true) {
    const profiles = createProfiles(await discoverConfig(process.cwd()), {}, {});
    const problems = all.flatMap(({ line, scenario: { profile } }) => {
      const found = profile === undefined ? undefined : profiles.of(profile);
      return typeof found === 'string' ? [`${scenarios}:${line}: profile: ${found}.`] : [];
    });
    if (problems.length > 0) throw new AuthoringError(problems);
    remark(`${all.length} ${all.length === 1 ? 'scenario' : 'scenarios'}, all valid`);
    return EXIT.ok;
  }
  const ids = selectScenarios(all, { tags: [...tags, ...tag], excludeTags: excludeTag }).map(({ scenario: { id } }) => id);
  await say(format === 'json' ? `${JSON.stringify(ids, null, 2)}\n` : ids.map((id) => `${plainLine(id)}\n`).join(''));
  return EXIT.ok;
}
