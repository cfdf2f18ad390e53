import { isJsonObject } from '../evidence/json.js';
import { volatileProblem } from '../gateway/cassette/volatile.js';
import type { FaultPlan } from '../gateway/faults/fault-plan.js';
import type { Vendor } from '../gateway/upstream.js';
import { checkCount, checkKeys } from './brand.js';
import { checkFaults } from './check-faults.js';
import { DefinitionError } from './errors.js';
import type { ScriptBuilder, WrittenScript } from './script-builder.js';

/** How the agent's model is asked. */
export type GatewayInput = ScriptedGateway | ForwardGateway;

/** Turns that are played from a script, without a key and without cost. */
export interface ScriptedGateway extends ScriptedOptions {
  readonly mode: 'scripted';
  /** Path of the script, relative to the experiment's file; or what stands in it. */
  readonly script: string | WrittenScript;
}

/** What {@link scripted} takes beside the script. */
export interface ScriptedOptions {
  /** Answers that are spoilt on purpose. Default: none. */
  readonly faults?: FaultPlan;
}

/** The real services, asked with keys that no sandbox ever sees. */
export interface ForwardGateway extends ForwardInput {
  readonly mode: 'forward';
}

/** What {@link forward} takes. A vendor that is not named is asked at its own address with the key of its usual variable, where there is one. */
export interface ForwardInput {
  readonly anthropic?: ServiceInput;
  readonly openai?: ServiceInput;
  readonly gemini?: ServiceInput;
  /** What is written into requests, whatever the CLI asks for. What a protocol has no place for is not applied; the record says what was. */
  readonly sampling?: SamplingInput;
  /** Sources of regular expressions for what varies in requests from run to run, so that cassettes take it for the same. Default: none. */
  readonly volatile?: readonly string[];
  /** Answers that are spoilt on purpose. Default: none. */
  readonly faults?: FaultPlan;
}

/** A model service. */
export interface ServiceInput {
  /** Default: the variable ANTHROPIC_BASE_URL, OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL of the host, else the vendor's own. */
  readonly baseUrl?: string;
  /**
   * Where its key comes from. Default: the first of these variables of the host that is set: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN,
   * CLAUDE_CODE_OAUTH_TOKEN; OPENAI_API_KEY; GEMINI_API_KEY, GOOGLE_API_KEY.
   */
  readonly apiKey?: KeySource;
  /** How the key is shown. Default: the vendor's own header for keys, `bearer` for tokens of Anthropic. */
  readonly auth?: 'key' | 'bearer';
  /** Further headers, from texts or variables of the host. Default: none. */
  readonly headers?: { readonly [name: string]: string | { readonly env: string } };
}

/** Where a key comes from: a variable of the host, or the standard output of a command that runs there. */
export type KeySource =
  | { readonly env: string }
  /** `refreshMs` is how long an answer holds; a key that is refused is asked for anew at once. Default: 300,000. */
  | { readonly command: readonly [string, ...string[]]; readonly refreshMs?: number };

/** Parts of a request that an experiment decides. */
export interface SamplingInput {
  readonly temperature?: number;
  readonly seed?: number;
  /** The most output tokens of one answer. */
  readonly maxTokens?: number;
  /** The model that is asked, by the one that the CLI names; `*` stands for every other. */
  readonly models?: { readonly [asked: string]: string };
}

/** Where a vendor is asked, unless somebody says otherwise. */
const ADDRESSES: { readonly [vendor in Vendor]: { readonly variable: string; readonly baseUrl: string } } = {
  anthropic: { variable: 'ANTHROPIC_BASE_URL', baseUrl: 'https://api.anthropic.com' },
  openai: { variable: 'OPENAI_BASE_URL', baseUrl: 'https://api.openai.com/v1' },
  gemini: { variable: 'GOOGLE_GEMINI_BASE_URL', baseUrl: 'https://generativelanguage.googleapis.com' },
};

/** Where a vendor is asked. @param env A variable of the host. */
export function baseUrlOf(vendor: Vendor, service: ServiceInput | undefined, env: (name: string) => string | undefined): string {
  const { variable, baseUrl } = ADDRESSES[vendor];
  return service?.baseUrl ?? (env(variable) || baseUrl);
}

/**
 * A model that plays turns.
 *
 * @param script Path of a script file, relative to the experiment's file; or a `script()`.
 * @throws DefinitionError for what is neither, an unknown option or faults of the wrong kind.
 */
export function scripted(script: string | ScriptBuilder, options: ScriptedOptions = {}): ScriptedGateway {
  checkKeys('scripted', options, ['faults']);
  checkFaults('scripted', options.faults);
  if (typeof script === 'object' && typeof script?.toScript === 'function') return { mode: 'scripted', script: script.toScript(), ...options };
  if (typeof script !== 'string' || script === '') throw new DefinitionError('scripted() needs the path of a script file, or a script().');
  return { mode: 'scripted', script, ...options };
}

/**
 * The real model services.
 *
 * @throws DefinitionError for an unknown field or a value of the wrong kind.
 */
export function forward(input: ForwardInput = {}): ForwardGateway {
  checkKeys('forward', input, ['anthropic', 'openai', 'gemini', 'sampling', 'volatile', 'faults', 'mode']);
  for (const vendor of ['anthropic', 'openai', 'gemini'] as const) if (input[vendor] !== undefined) checkService(`forward, ${vendor}`, input[vendor]);
  if (input.sampling !== undefined) checkSampling(input.sampling);
  for (const source of volatileOf(input)) {
    const problem = volatileProblem(source);
    if (problem !== undefined) throw new DefinitionError(`forward: \`volatile\`: ${problem}`);
  }
  checkFaults('forward', input.faults);
  return { ...input, mode: 'forward' };
}

/** @throws DefinitionError when it was made by neither of the functions above. */
export function checkGateway(who: string, gateway: unknown): void {
  if (gateway === undefined) return;
  const { mode, script, faults } = (typeof gateway === 'object' && gateway !== null ? gateway : {}) as { mode?: unknown; script?: unknown; faults?: unknown };
  if (mode === 'scripted' && (typeof script === 'string' || isJsonObject(script))) return checkFaults('scripted', faults);
  if (mode === 'forward') return void forward(gateway as ForwardGateway);
  throw new DefinitionError(`${who}: \`gateway\` must be made by scripted("./script.json") or forward().`);
}

function checkService(who: string, service: ServiceInput): void {
  checkKeys(who, service, ['baseUrl', 'apiKey', 'auth', 'headers']);
  const { baseUrl, apiKey, auth, headers } = service;
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) throw new DefinitionError(`${who}: \`baseUrl\` must be a URL that begins with https:// or http://, without a query and without a password.`);
  if (apiKey !== undefined && !isKeySource(apiKey)) throw new DefinitionError(`${who}: \`apiKey\` must be { env: "NAME" } or { command: ["program", "argument"] }. A key itself never stands in an experiment.`);
  if (apiKey !== undefined && 'command' in apiKey) checkCount(who, 'refreshMs', apiKey.refreshMs);
  if (auth !== undefined && auth !== 'key' && auth !== 'bearer') throw new DefinitionError(`${who}: \`auth\` must be "key" or "bearer".`);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) throw new DefinitionError(`${who}: ${JSON.stringify(name)} is no name of a header.`);
    if (typeof value !== 'string' && typeof value?.env !== 'string') throw new DefinitionError(`${who}: the header "${name}" must be a text or { env: "NAME" }.`);
  }
}

function volatileOf({ volatile = [] }: ForwardInput): readonly string[] {
  if (!(volatile instanceof Array) || volatile.some((source) => typeof source !== 'string')) throw new DefinitionError('forward: `volatile` must be a list of sources of regular expressions.');
  return volatile;
}

function isKeySource(source: KeySource): boolean {
  if (typeof source !== 'object' || source === null) return false;
  if ('env' in source) return typeof source.env === 'string' && source.env !== '';
  return Array.isArray(source.command) && source.command.length > 0 && source.command.every((part) => typeof part === 'string' && part !== '');
}

function checkSampling(sampling: SamplingInput): void {
  const who = 'forward, sampling';
  checkKeys(who, sampling, ['temperature', 'seed', 'maxTokens', 'models']);
  const { temperature, seed, models } = sampling;
  if (temperature !== undefined && !(Number.isFinite(temperature) && temperature >= 0)) throw new DefinitionError(`${who}: \`temperature\` must be a number of at least 0.`);
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new DefinitionError(`${who}: \`seed\` must be a whole number.`);
  checkCount(who, 'maxTokens', sampling.maxTokens);
  for (const [asked, model] of Object.entries(models ?? {})) {
    if (typeof model !== 'string' || model === '') throw new DefinitionError(`${who}: \`models\` must name a model for "${asked}".`);
  }
}

function isHttpUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '' && password === '';
}
