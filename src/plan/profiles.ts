import { join } from 'node:path';
import type { Project } from './discover.js';
import { AuthoringError } from './errors.js';

/**
 * A project whose experiments are profiles of its configuration, under the ids `profile/<name>`. Experiments that are picked besides stay.
 *
 * @param names None: the project as it is.
 * @throws AuthoringError for a name that the configuration does not have.
 */
export function withProfiles(project: Project, names: readonly string[], options: { readonly keepExperiments: boolean }): Project {
  if (names.length === 0) return project;
  const { profiles = {} } = project.config;
  const known = Object.keys(profiles);
  const unknown = names.filter((name) => !Object.hasOwn(profiles, name));
  if (unknown.length > 0) {
    throw new AuthoringError(unknown.map((name) => `No profile is called "${name}". ${known.length === 0 ? 'Add `profiles` to defineConfig in niceeval.config.ts.' : `There are: ${known.join(', ')}.`}`));
  }
  const file = project.configFile ?? join(project.root, 'niceeval.config.ts');
  const own = [...new Set(names)].flatMap((name) => {
    const definition = profiles[name];
    return definition === undefined ? [] : [{ id: `profile/${name}`, file, definition }];
  });
  return { ...project, experiments: [...own, ...options.keepExperiments ? project.experiments : []] };
}
