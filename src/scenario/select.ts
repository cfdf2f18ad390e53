import type { ScenarioLine } from './read-scenarios.js';

/** Which scenarios are wanted. */
export interface TagChoice {
  /** One of these is enough. None: all scenarios. */
  readonly tags: readonly string[];
  /** One of these is too many, whatever else is there. */
  readonly excludeTags: readonly string[];
}

/** The scenarios that are wanted, in the order of their file. Spaces around tags do not matter. */
export function selectScenarios(lines: readonly ScenarioLine[], { tags, excludeTags }: TagChoice): readonly ScenarioLine[] {
  const wanted = trimmed(tags);
  const unwanted = trimmed(excludeTags);
  return lines.filter(({ scenario }) => {
    const own = trimmed(scenario.tags ?? []);
    const has = (others: ReadonlySet<string>): boolean => [...own].some((tag) => others.has(tag));
    return (wanted.size === 0 || has(wanted)) && !has(unwanted);
  });
}

function trimmed(tags: readonly string[]): ReadonlySet<string> {
  return new Set(tags.map((tag) => tag.trim()));
}
