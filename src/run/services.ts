import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { getProxyForUrl } from 'proxy-from-env';
import { baseUrlOf, type ForwardInput, type KeySource, type ServiceInput } from '../define/gateway.js';
import { VENDORS, type Upstream, type Upstreams, type Vendor } from '../gateway/upstream.js';
import { messageOf, NiceEvalError } from '../lifetime/error.js';
import type { PlannedAttempt } from '../plan/plan.js';

/** A key of a model service cannot be had. */
export class ModelKeyError extends NiceEvalError {
  readonly code = 'model-key';
}

/** The model services of a run and their keys. A key is known to this process and to the gateway, and to nobody else. */
export interface Services {
  /** What experiments lack for being carried out: one sentence each. */
  problemsOf(attempts: readonly Pick<PlannedAttempt, 'experimentId' | 'services' | 'experiment'>[]): readonly string[];
  /**
   * Whom an experiment asks, with the keys of now.
   * @throws ModelKeyError when a command gives none.
   */
  upstreamsOf(input: ForwardInput): Promise<Upstreams>;
  /** Milliseconds until a key of an experiment is to be asked for anew. `undefined`: its keys do not change. */
  renewalMsOf(input: ForwardInput): number | undefined;
  /** Says that a key of an experiment was refused, so that its commands are asked for new ones. */
  refused(input: ForwardInput): void;
  /** Every key that was ever given. */
  secrets(): readonly string[];
}

/** How a key is shown to each vendor. */
const KEYS: { readonly [vendor in Vendor]: { readonly header: string; readonly variables: readonly { readonly name: string; readonly auth: 'key' | 'bearer' }[] } } = {
  anthropic: {
    header: 'x-api-key',
    variables: [{ name: 'ANTHROPIC_API_KEY', auth: 'key' }, { name: 'ANTHROPIC_AUTH_TOKEN', auth: 'bearer' }, { name: 'CLAUDE_CODE_OAUTH_TOKEN', auth: 'bearer' }],
  },
  openai: { header: 'authorization', variables: [{ name: 'OPENAI_API_KEY', auth: 'bearer' }] },
  gemini: { header: 'x-goog-api-key', variables: [{ name: 'GEMINI_API_KEY', auth: 'key' }, { name: 'GOOGLE_API_KEY', auth: 'key' }] },
};
/** Tokens of a subscription are taken only by those who say so. */
const OAUTH_TOKEN = /^sk-ant-oat/;
const OAUTH_BETA = 'oauth-2025-04-20';
const REFRESH_MS = 300_000;
const COMMAND_LIMIT_MS = 30_000;

/** @param env A variable of this process. */
export function createServices(env: (name: string) => string | undefined, now: () => number = () => performance.now()): Services {
  const known = new Set<string>();
  const answers = new Map<string, { readonly at: number; readonly key: Promise<string> }>();

  const answerOf = (command: readonly [string, ...string[]], refreshMs: number): Promise<string> => {
    const id = JSON.stringify(command);
    const given = answers.get(id);
    if (given !== undefined && now() - given.at < refreshMs) return given.key;
    const key = keyOfCommand(command);
    answers.set(id, { at: now(), key });
    key.catch(() => answers.delete(id));
    return key;
  };

  const keyOf = async (vendor: Vendor, source: KeySource | undefined): Promise<{ readonly key: string; readonly auth: 'key' | 'bearer' } | undefined> => {
    const usual = vendor === 'openai' ? 'bearer' : 'key';
    if (source !== undefined && 'command' in source) return { key: await answerOf(source.command, source.refreshMs ?? REFRESH_MS), auth: usual };
    const variables = source === undefined ? KEYS[vendor].variables : [{ name: source.env, auth: usual } as const];
    for (const { name, auth } of variables) {
      const key = env(name)?.trim();
      if (key !== undefined && key !== '') return { key, auth };
    }
    return undefined;
  };

  const upstreamOf = async (vendor: Vendor, service: ServiceInput | undefined): Promise<Upstream | undefined> => {
    const found = await keyOf(vendor, service?.apiKey);
    const headers = headersOf(service, env);
    // A service with an address of its own may want no key.
    if (found === undefined && service?.baseUrl === undefined) return undefined;
    if (found !== undefined && !/^[\x21-\x7e]+$/.test(found.key)) throw new ModelKeyError(`The key for ${vendor} has characters that no header can carry. Look at where it comes from.`);
    const baseUrl = baseUrlOf(vendor, service, env);
    const proxy = getProxyForUrl(baseUrl);
    const secrets = [found?.key, ...secretHeadersOf(service, headers), proxy === '' ? undefined : new URL(proxy).password]
      .filter((secret): secret is string => secret !== undefined && secret.length >= LEAST_SECRET);
    for (const secret of secrets) known.add(secret);
    const ca = certificatesOf(env('NODE_EXTRA_CA_CERTS'));
    return {
      baseUrl,
      headers: { ...(found === undefined ? {} : shown(vendor, found.key, service?.auth ?? (OAUTH_TOKEN.test(found.key) ? 'bearer' : found.auth))), ...headers },
      ...(secrets.length === 0 ? {} : { secrets }),
      ...(proxy === '' ? {} : { proxy }),
      ...(ca === undefined ? {} : { ca }),
    };
  };

  return {
    problemsOf(attempts) {
      const asking = new Map(attempts.flatMap(({ experimentId, services, experiment }) => (services === undefined ? [] : [[experimentId, { services, agent: experiment.agent }] as const])));
      return [...asking].flatMap(([id, { services, agent }]) => {
        const isThere = (vendor: Vendor): boolean => {
          const service = services[vendor];
          if (service?.baseUrl !== undefined || (service?.apiKey !== undefined && 'command' in service.apiKey)) return true;
          const names = service?.apiKey === undefined ? KEYS[vendor].variables.map(({ name }) => name) : [service.apiKey.env];
          return names.some((name) => (env(name) ?? '').trim() !== '');
        };
        const wanted = agent.speaks === undefined ? VENDORS : [agent.speaks];
        if (wanted.some(isThere)) return [];
        const variables = wanted.flatMap((vendor) => { const source = services[vendor]?.apiKey; return source !== undefined && 'env' in source ? [source.env] : [KEYS[vendor].variables[0]?.name ?? '']; });
        return [`${id}: there is no key for the model of "${agent.name}". Set ${variables.join(' or ')}, or let \`gateway\` of the experiment say where it comes from, or play a script with \`gateway: scripted("./model.json")\`.`];
      });
    },
    async upstreamsOf(input) {
      const found = await Promise.all(VENDORS.map(async (vendor) => [vendor, await upstreamOf(vendor, input[vendor])] as const));
      return Object.fromEntries(found.filter(([, upstream]) => upstream !== undefined));
    },
    renewalMsOf(input) {
      const times = commandsOf(input).map(({ command, refreshMs = REFRESH_MS }) => refreshMs - (now() - (answers.get(JSON.stringify(command))?.at ?? now())));
      return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
    },
    refused(input) {
      for (const { command } of commandsOf(input)) answers.delete(JSON.stringify(command));
    },
    secrets: () => [...known],
  };
}

type CommandSource = Extract<KeySource, { readonly command: readonly string[] }>;

function commandsOf(input: ForwardInput): readonly CommandSource[] {
  return VENDORS.flatMap((vendor) => {
    const source = input[vendor]?.apiKey;
    return source !== undefined && 'command' in source ? [source] : [];
  });
}

/** Shorter values are found in harmless text. */
const LEAST_SECRET = 8;
/** Names of headers whose values are nobody's business, though they stand in the experiment. */
const TELLING = /^(?:authorization|cookie)$|(?:key|token|secret|password)$/i;

/** Values that came from a variable of the host, or whose names say what they are. */
function secretHeadersOf(service: ServiceInput | undefined, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(service?.headers ?? {}).flatMap(([name, value]) => {
    const text = headers[name.toLowerCase()];
    return text !== undefined && (typeof value !== 'string' || TELLING.test(name)) ? [text.replace(/^(?:bearer|basic) +/i, '')] : [];
  });
}

function shown(vendor: Vendor, key: string, auth: 'key' | 'bearer'): Record<string, string> {
  if (auth === 'key' && vendor !== 'openai') return { [KEYS[vendor].header]: key };
  return { authorization: `Bearer ${key}`, ...(OAUTH_TOKEN.test(key) ? { 'anthropic-beta': OAUTH_BETA } : {}) };
}

function headersOf(service: ServiceInput | undefined, env: (name: string) => string | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(service?.headers ?? {}).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : env(value.env);
    return text === undefined ? [] : [[name.toLowerCase(), text]];
  }));
}

async function keyOfCommand([program, ...argv]: readonly [string, ...string[]]): Promise<string> {
  try {
    const { stdout } = await execa(program, argv, { timeout: COMMAND_LIMIT_MS, stdin: 'ignore', stderr: 'ignore', maxBuffer: 100_000 });
    const key = stdout.trim();
    if (key === '') throw new Error('it printed nothing');
    return key;
  } catch (error) {
    // What it printed may be a part of the key, and so may its arguments.
    const { exitCode, code, timedOut, originalMessage } = error as { readonly exitCode?: number; readonly code?: string; readonly timedOut?: boolean; readonly originalMessage?: string };
    const reason = timedOut === true ? `it ran for longer than ${COMMAND_LIMIT_MS / 1000} s` : exitCode !== undefined ? `it ended with exit code ${exitCode}` : code ?? originalMessage ?? messageOf(error);
    throw new ModelKeyError(`The command "${program}" gave no key: ${reason}. Run it by hand; it must print the key and nothing else.`, { cause: undefined });
  }
}

function certificatesOf(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ModelKeyError(`NODE_EXTRA_CA_CERTS names "${path}", which cannot be read: ${messageOf(error)}.`);
  }
}
