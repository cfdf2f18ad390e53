/**
 * Where a sandbox may talk to:
 * - `open`: wherever the engine's machine gets, but not to that machine itself, to another sandbox or to link-local addresses;
 * - `model-only`: the gateway and nothing else;
 * - `none`: nothing at all;
 * - `allow`: the gateway, and these hosts by HTTP (port 80) and HTTPS (port 443). `*.example.org` stands for all names
 *   below example.org, not for itself.
 */
export type NetworkAccess = 'open' | 'model-only' | 'none' | { readonly allow: readonly string[] };

/** Where a sandbox may talk to in each phase of an Attempt. */
export interface NetworkPhases {
  /** Set-up of the agent, and commands of the test before its first send. */
  readonly prepare: NetworkAccess;
  /** While the agent works, or waits for an answer. */
  readonly agent: NetworkAccess;
  /** Commands of the test after a send. */
  readonly grade: NetworkAccess;
}

/** A part of an Attempt with a network of its own. */
export type NetworkPhase = keyof NetworkPhases;

/** The phases in their order. */
export const NETWORK_PHASES: readonly NetworkPhase[] = ['prepare', 'agent', 'grade'];

const WORDS: readonly unknown[] = ['open', 'model-only', 'none'];
const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;
const ADDRESS = /^[\d.]+$/;

/** What is wrong with a value that should say where a sandbox may talk to. `undefined`: nothing. */
export function networkAccessProblem(value: unknown): string | undefined {
  if (WORDS.includes(value)) return undefined;
  const allow = typeof value === 'object' && value !== null ? (value as { readonly allow?: unknown }).allow : undefined;
  if (!Array.isArray(allow) || Object.keys(value as object).length !== 1) return 'it must be "open", "model-only", "none" or { allow: [hosts] }';
  if (allow.length === 0) return 'its list of hosts is empty; say "model-only" instead';
  const wrong: unknown = allow.find((host) => typeof host !== 'string' || host.length > 253 || !HOST.test(host) || ADDRESS.test(host));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is no name of a host. Give names such as "registry.npmjs.org" or "*.debian.org", without scheme, port and path; addresses cannot be allowed`;
}

/** Whether a name is on a list. Case and a dot at the end do not matter. */
export function allowsHost(allow: readonly string[], name: string): boolean {
  const host = plainHost(name);
  return allow.some((entry) => {
    const allowed = plainHost(entry);
    return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) && host.length > allowed.length - 1 : host === allowed;
  });
}

/** The same access, whatever the order of its hosts. */
export function isSameAccess(one: NetworkAccess, other: NetworkAccess): boolean {
  const key = (access: NetworkAccess): string => (typeof access === 'string' ? access : JSON.stringify([...access.allow].map(plainHost).sort()));
  return key(one) === key(other);
}

function plainHost(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
