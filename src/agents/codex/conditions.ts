import { existsSync, readFileSync } from 'node:fs';
import type { AgentSettings } from '../agent.js';
import type { AgentConditions } from '../conditions.js';
import { hostPathOf } from '../host-path.js';
import type { CodexOptions } from './options.js';

/** What conditions add to the settings of the CLI. */
export interface CodexConditions {
  readonly conditions: AgentConditions;
  /** Tool servers that the author's `configFile` names. */
  readonly configuredServers: readonly string[];
  /** Tokens from which on the conversation is compacted. Absent: the CLI's own. */
  readonly compactTokens?: number;
}

/** The options as conditions leave them: what `approvalPolicy`, `sandboxMode`, `transport` and `askUser` say gives way. */
export function conditionedOptions(options: CodexOptions, { approvals, mcp, hooks, systemInstructions }: AgentConditions): CodexOptions {
  const { hooksFile, mcpServers, appendSystemPrompt, transport: _overridden, ...rest } = options;
  const appended = [appendSystemPrompt, systemInstructions].filter((text) => text !== undefined).join('\n\n');
  return {
    ...rest,
    askUser: false,
    // It hears a refusal to what it asks; codex 0.171.0 can only be asked by its app-server.
    approvalPolicy: approvals === 'never' ? 'never' : 'on-request',
    // Its own sandbox needs a namespace, which no container has that is closed as ours are; see docs/decisions/0016-conditions.md.
    sandboxMode: 'danger-full-access',
    ...(hooks && hooksFile !== undefined ? { hooksFile } : {}),
    ...(mcp && mcpServers !== undefined ? { mcpServers } : {}),
    ...(appended === '' ? {} : { appendSystemPrompt: appended }),
  };
}

/** What conditions come to for these options, or why the CLI cannot keep to them. */
export function codexConditionsOf(options: CodexOptions, conditions: AgentConditions, { experimentFolder }: AgentSettings): CodexConditions | string {
  const { approvals, mcp, hooks, compactAt, syntheticPairs } = conditions;
  if (syntheticPairs !== undefined && syntheticPairs > 0) return 'Codex keeps its own history and cannot be given a made-up one (--seed-synthetic-pairs)';
  if (hooks && options.hooksFile !== undefined && approvals !== 'never') return 'Codex runs `hooksFile` only where it asks nobody: say approval policy "never" with --enable-hooks';
  const config = configOf(options, experimentFolder);
  // It shows no setting that would make it ask for these (codex 0.171.0).
  if (mcp && approvals === 'always') return 'Codex lists and reads what tool servers offer without asking: say another approval policy than "always" with --enable-mcp';
  if (!mcp && config.replace(SERVER_TABLE, '').replace(/^\s*#.*/gm, '').includes('mcp_servers')) return '`configFile` names its tool servers in a way that they cannot be turned off one by one; give each a table of its own, [mcp_servers.<name>], or use `mcpServers`';
  const windowTokens = Number(/^\s*model_context_window\s*=\s*([\d_]+)\s*(?:#.*)?$/m.exec(config)?.[1]?.replaceAll('_', ''));
  if (compactAt !== undefined && !Number.isSafeInteger(windowTokens)) return 'Codex compacts from a number of tokens on; for a part of the window, put `model_context_window = <tokens>` into its `configFile`';
  return {
    conditions,
    configuredServers: [...new Set([...config.matchAll(SERVER_TABLE)].map(([, basic, literal, bare]) => basic ?? literal ?? bare ?? ''))],
    ...(compactAt === undefined ? {} : { compactTokens: Math.max(1, Math.floor(compactAt * windowTokens)) }),
  };
}

const SERVER_TABLE = /^\s*\[\s*mcp_servers\s*\.\s*(?:"([^"\\\n]+)"|'([^'\n]+)'|([\w-]+))\s*[.\]]/gm;

function configOf({ configFile }: CodexOptions, experimentFolder: string | undefined): string {
  if (configFile === undefined || experimentFolder === undefined) return '';
  const path = hostPathOf(configFile, experimentFolder);
  return existsSync(path) ? readFileSync(path, 'utf8') : ''; // That it is missing is told by `check`.
}

interface Table { readonly [key: string]: string | boolean | Table }

/** Settings of the CLI that conditions decide. @param workdir Absolute. */
export function conditionedSettings({ conditions: { approvals, mcp, hooks }, configuredServers, compactTokens }: CodexConditions, workdir: string): readonly (readonly [string, boolean | number | string | readonly string[] | Table])[] {
  return [
    // What the workspace itself says is only read where it is trusted.
    ['projects', { [workdir]: { trust_level: mcp ? 'trusted' : 'untrusted' } }],
    // Nobody is there to be asked.
    ['features.default_mode_request_user_input', false],
    ...(hooks ? [] : [['features.hooks', false], ['notify', []]] as const),
    // A table in one piece: a dotted key cannot name every server.
    ...(configuredServers.length === 0 ? [] : [['mcp_servers', Object.fromEntries(configuredServers.map((name) => [name, mcp ? UNASKED : { enabled: false }]))] as const]),
    // What cannot ask is not there.
    ...(approvals === 'always' ? [['web_search', 'disabled'], ...['view_image', 'goals', 'multi_agent', 'image_generation', 'apps'].map((feature) => [`features.${feature}`, false] as const)] as const : []),
    ...(compactTokens === undefined ? [] : [['model_auto_compact_token_limit', compactTokens] as const]),
  ];
}

/** Of a tool server whose tools are to be used without asking. */
export const UNASKED = { default_tools_approval_mode: 'approve' } as const;

/** Programs that the CLI runs without asking even where it trusts nobody (codex 0.171.0, is_known_safe_command). */
const TRUSTED = ['base64', 'cat', 'cd', 'cut', 'echo', 'expr', 'false', 'find', 'git', 'grep', 'head', 'id', 'ls', 'nl', 'numfmt', 'paste', 'pwd', 'rev', 'rg', 'sed', 'seq', 'stat', 'tac', 'tail', 'tr', 'true', 'uname', 'uniq', 'wc', 'which', 'whoami'];

/** Programs that the CLI thinks dangerous with some arguments, as `rm -f`, and those that it looks into for such. It would ask, or refuse where it may not. */
const DISTRUSTED = ['rm', 'sudo', 'env', ...['bash', 'sh', 'zsh'].flatMap((shell) => [shell, `/bin/${shell}`, `/usr/bin/${shell}`])];

/** Rules of the CLI by which it asks for everything, or for no command: what one may do is for the sandbox to see to. */
export function rulesOf({ approvals }: AgentConditions): string {
  const [programs, decision] = approvals === 'always' ? [TRUSTED, 'prompt'] : [DISTRUSTED, 'allow'];
  return `prefix_rule(pattern = [${JSON.stringify(programs)}], decision = "${decision}")\n`;
}
