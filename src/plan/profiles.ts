import { join } from 'node:path';
import type { Project } from './discover.js';
import { AuthoringError } from './errors.js';

const PREFIX = 'profile/';

/** The id of the experiment that a profile stands for. */
export function profileId(name: string): string {
  return `${PREFIX}${name}`;
}

/** The profiles that Attempts of an earlier run were by, as far as the project still has them. */
export function profilesIn({ config: { profiles = {} }, experiments }: Project, attempts: readonly { readonly experimentId: string }[]): readonly string[] {
  const names = attempts.flatMap(({ experimentId }) => (experimentId.startsWith(PREFIX) ? [experimentId.slice(PREFIX.length)] : []));
  return [...new Set(names)].filter((name) => Object.hasOwn(profiles, name) && !experiments.some(({ id }) => id === profileId(name)));
}

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
  const taken = names.filter((name) => project.experiments.some(({ id }) => id === profileId(name)));
  if (taken.length > 0) throw new AuthoringError(taken.map((name) => `The profile "${name}" would be the experiment ${profileId(name)}, which there is already below experiments/. Rename one of them.`));
  const file = project.configFile ?? join(project.root, 'niceeval.config.ts');
  const own = [...new Set(names)].flatMap((name) => {
    const definition = profiles[name];
    return definition === undefined ? [] : [{ id: profileId(name), file, definition }];
  });
  return { ...project, experiments: [...own, ...options.keepExperiments ? project.experiments : []] };
}
