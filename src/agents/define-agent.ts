import { evidenceCoverageSchema, type EvidenceCoverage } from '../evidence/coverage.js';
import type { Agent, DirectAgent, SandboxAgent } from './agent.js';

const BRAND = Symbol.for('niceeval.agent');

interface Common {
  /** Shown in tables and records. Not empty. */
  readonly name: string;
  /** How completely each channel is collected. All six are required; a turn may only lower them. */
  readonly evidenceCoverage: EvidenceCoverage;
  /** The agent can do nothing without a model endpoint, so its experiments need a gateway. Default: false. */
  readonly needsEndpoint?: boolean;
  /** Whose protocol it speaks to its model, so that a missing key is told before anything runs. Default: it does not say. */
  readonly speaks?: 'anthropic' | 'openai' | 'gemini';
  /** Values that are replaced by `[redacted]` in everything that is told and recorded of an Attempt. Default: none. */
  readonly sensitiveValues?: readonly string[];
  /**
   * Files and folders of the host whose content changes what the agent does, absolute or relative to the experiment's file: results
   * are only used again while they are the same. Default: none.
   */
  readonly inputFiles?: readonly string[];
  /** Folders of its home, relative to it, that stay writable where nothing else of the home is. Default: none. */
  readonly homeFolders?: readonly string[];
}

/** What {@link defineSandboxAgent} takes. */
export type SandboxAgentInput = Common & Pick<SandboxAgent, 'check' | 'under' | 'setup' | 'send' | 'teardown'>;

/** What {@link defineAgent} takes. */
export type AgentInput = Common & Pick<DirectAgent, 'check' | 'under' | 'setup' | 'send' | 'teardown'>;

const KEYS = new Set(['name', 'evidenceCoverage', 'needsEndpoint', 'speaks', 'sensitiveValues', 'inputFiles', 'homeFolders', 'check', 'under', 'setup', 'send', 'teardown']);

/**
 * Defines an agent that works in the Attempt's sandbox.
 *
 * @throws TypeError for a missing name, send or coverage channel, or an unknown field.
 */
export function defineSandboxAgent(input: SandboxAgentInput): SandboxAgent {
  check('defineSandboxAgent', input);
  return brand<SandboxAgent>({ ...input, kind: 'sandbox', needsEndpoint: input.needsEndpoint ?? false });
}

/**
 * Defines an agent that works outside any sandbox. Claims about files need a sandbox agent.
 *
 * @throws TypeError for a missing name, send or coverage channel, or an unknown field.
 */
export function defineAgent(input: AgentInput): DirectAgent {
  check('defineAgent', input);
  return brand<DirectAgent>({ ...input, kind: 'direct', needsEndpoint: input.needsEndpoint ?? false });
}

/** True for what {@link defineAgent} or {@link defineSandboxAgent} made, also in another copy of the package. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

function brand<A extends Agent>(agent: A): A {
  return Object.freeze(Object.defineProperty(agent, BRAND, { value: true }));
}

function check(factory: string, input: Common & { readonly send?: unknown }): void {
  const unknown = Object.keys(input).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw new TypeError(`${factory}() does not know the field "${unknown}". It knows ${[...KEYS].join(', ')}.`);
  if (typeof input.name !== 'string' || input.name.trim() === '') throw new TypeError(`${factory}() needs a \`name\` that is not empty.`);
  if (typeof input.send !== 'function') throw new TypeError(`${factory}() needs a \`send\` function; the agent "${input.name}" has none.`);
  const files: unknown = input.inputFiles ?? [];
  if (!Array.isArray(files) || files.some((path) => typeof path !== 'string' || path === '' || path.includes('\0'))) {
    throw new TypeError(`${factory}(): \`inputFiles\` of the agent "${input.name}" must be a list of paths.`);
  }
  const folders: unknown = input.homeFolders ?? [];
  if (!Array.isArray(folders) || folders.some((path) => typeof path !== 'string' || !/^[^/\0]+(\/[^/\0]+)*$/.test(path) || path.split('/').some((part) => part === '.' || part === '..'))) {
    throw new TypeError(`${factory}(): \`homeFolders\` of the agent "${input.name}" must be a list of paths below its home, for instance [".claude"].`);
  }
  const coverage = evidenceCoverageSchema.safeParse(input.evidenceCoverage);
  if (!coverage.success) {
    const where = coverage.error.issues[0]?.path.join('.') ?? '';
    throw new TypeError(
      `The evidenceCoverage of the agent "${input.name}" is not complete: look at "${where}". `
        + 'Each of events, actions, messages, usage, status and data needs {status: "complete"}, or a lower status with a reason.',
    );
  }
}
