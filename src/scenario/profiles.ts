import { claudeCode } from '../agents/claude-code/agent.js';
import { codex } from '../agents/codex/agent.js';
import { fakeAgent, type FakeAgentOptions } from '../agents/fake/agent.js';
import type { Agent } from '../agents/agent.js';
import type { ProfileInput } from '../define/config.js';
import type { Project } from '../plan/discover.js';
import { join } from 'node:path';

/** The profile that needs neither a key nor a CLI. */
export const FAKE_PROFILE = 'fake';

/** An agent with its model, by the name that a result line calls it. */
export interface NamedProfile {
  readonly name: string;
  readonly definition: ProfileInput;
  /** Where relative paths of it start, and what messages name. Absolute. */
  readonly file: string;
}

/** Who is asked where a scenario does not say. */
export interface DefaultProfile {
  /** By name. */
  readonly profile?: string;
  /** Instead of a profile: `fake`, or a CLI with nothing set. */
  readonly agent?: AgentName;
  /** Its model, whatever its profile says. */
  readonly model?: string;
}

const AGENTS = { 'claude-code': () => claudeCode(), codex: () => codex() } as const satisfies Readonly<Record<string, () => Agent>>;

/** An agent that can be named without a profile. */
export type AgentName = keyof typeof AGENTS | typeof FAKE_PROFILE;

/** Finds profiles by name: those of the configuration, and `fake`. */
export interface Profiles {
  /** The profile of a scenario, or why there is none. */
  of(wanted: string | undefined): NamedProfile | string;
}

/**
 * @param project Its `profiles` and `defaultProfile` count.
 * @param given What the command says, for scenarios that name no profile.
 * @param fake How the built-in profile behaves.
 */
export function createProfiles(project: Pick<Project, 'root' | 'config' | 'configFile'>, given: DefaultProfile, fake: FakeAgentOptions): Profiles {
  const { profiles = {}, defaultProfile } = project.config;
  const file = project.configFile ?? join(project.root, 'niceeval.config.ts');
  const named = (name: string): NamedProfile | string => {
    if (name === FAKE_PROFILE) {
      if (Object.hasOwn(profiles, FAKE_PROFILE)) return `the profile "${FAKE_PROFILE}" is built in, and niceeval.config.ts has one of that name too; rename that`;
      return { name, definition: { agent: fakeAgent(fake) }, file };
    }
    const definition = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    return definition === undefined ? `there is no profile ${JSON.stringify(name)}; there are ${[FAKE_PROFILE, ...Object.keys(profiles)].join(', ')}` : { name, definition, file };
  };
  const withModel = (profile: NamedProfile | string): NamedProfile | string => (
    typeof profile === 'string' || given.model === undefined ? profile : { ...profile, definition: { ...profile.definition, model: given.model } });
  const byDefault = (): NamedProfile | string => {
    if (given.agent === FAKE_PROFILE) return named(FAKE_PROFILE);
    if (given.agent !== undefined) return { name: given.agent, definition: { agent: AGENTS[given.agent]() }, file };
    const name = given.profile ?? defaultProfile;
    return name === undefined ? 'it names no profile: give it one, or --profile, or `defaultProfile` in niceeval.config.ts' : named(name);
  };
  const known = new Map<string | undefined, NamedProfile | string>();
  return {
    of(wanted) {
      const profile = known.get(wanted) ?? (wanted === undefined ? withModel(byDefault()) : named(wanted));
      known.set(wanted, profile);
      return profile;
    },
  };
}
