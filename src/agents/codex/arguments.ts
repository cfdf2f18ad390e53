import { posix } from 'node:path';
import type { InputFile, SandboxAgentContext, TurnInput } from '../agent.js';
import { AgentInputError } from '../errors.js';
import type { McpServer } from '../mcp-server.js';
import { conditionedSettings, UNASKED, type CodexConditions } from './conditions.js';
import type { CodexOptions } from './options.js';
import { placesOf } from './setup.js';

/** Where the CLI finds the token of its model. */
export const TOKEN_VARIABLE = 'CODEX_API_KEY';

type TomlValue = string | boolean | number | readonly TomlValue[] | { readonly [key: string]: TomlValue };
type Setting = readonly [key: string, value: TomlValue];

/** `-c key=value` for every setting that the experiment decides. The values are TOML. */
export function configArguments(options: CodexOptions, ctx: SandboxAgentContext, under?: CodexConditions): readonly string[] {
  const { mcpServers = [], approvalPolicy = 'never', sandboxMode = 'danger-full-access' } = options;
  const settings: Setting[] = [
    // Nothing but the model can be reached; each of these would only wait for a host that is not there.
    ['check_for_update_on_startup', false],
    ['analytics.enabled', false],
    ['features.plugins', false],
    ['features.enable_request_compression', false],
    ['approval_policy', approvalPolicy],
    ['sandbox_mode', sandboxMode],
    ...(under === undefined ? [] : conditionedSettings(under, ctx.sandbox.workdir)),
    ...(options.askUser === true ? [['features.default_mode_request_user_input', true], ['suppress_unstable_features_warning', true]] as Setting[] : []),
    ...(options.systemPrompt === undefined ? [] : [['model_instructions_file', placesOf(ctx.sandbox.home).systemPrompt] as Setting]),
    ...(options.appendSystemPrompt === undefined ? [] : [['developer_instructions', options.appendSystemPrompt] as Setting]),
    ...(ctx.reasoningEffort === undefined ? [] : [['model_reasoning_effort', ctx.reasoningEffort] as Setting]),
    ...(ctx.endpoint === undefined ? [] : [
      ['model_provider', 'niceeval'],
      ['model_providers.niceeval.name', 'niceeval'],
      ['model_providers.niceeval.base_url', `${ctx.endpoint.origin}/v1`],
      ['model_providers.niceeval.wire_api', 'responses'],
      ['model_providers.niceeval.env_key', TOKEN_VARIABLE],
    ] as Setting[]),
    // A server that the agent broke in an earlier turn must not keep the CLI from starting.
    ...mcpServers.map((server) => serverTable(server, { required: ctx.session.id === undefined, ...(under === undefined ? {} : UNASKED) })),
  ];
  return settings.flatMap(([key, value]) => ['-c', `${key}=${tomlOf(value)}`]);
}

/** A table in one piece: a dotted key cannot name every variable and header. */
function serverTable(server: McpServer, more: { readonly [key: string]: TomlValue }): Setting {
  return [`mcp_servers.${server.name}`, 'url' in server
    ? { url: server.url, http_headers: server.headers ?? {}, ...more }
    : { command: server.command, args: server.args ?? [], env: server.env ?? {}, ...more }];
}

/** TOML on one line. What JSON writes for a text is TOML, but U+007F may not stand there as it is. */
function tomlOf(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map((item: TomlValue) => tomlOf(item)).join(', ')}]`;
  if (typeof value === 'object') return `{${Object.entries(value).map(([key, item]) => `${tomlOf(key)} = ${tomlOf(item)}`).join(', ')}}`;
  return JSON.stringify(value).replace(/\u007f/g, '\\u007F');
}

const IMAGES: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' };

/** Puts files and the schema of a message where the CLI can read them. @throws AgentInputError for a file that is no image. */
export async function uploadInput(input: TurnInput, ctx: SandboxAgentContext): Promise<{ readonly images: readonly string[]; readonly schema?: string }> {
  const folder = posix.join(ctx.sandbox.temporaryFolder, `niceeval-input-${crypto.randomUUID()}`);
  const images = (input.files ?? []).map((file, index) => [posix.join(folder, `image-${index + 1}.${endingOf(file)}`), file] as const);
  for (const [path, { data }] of images) await ctx.sandbox.writeBytes(path, Buffer.from(data, 'base64'));
  const schema = input.schema === undefined ? undefined : posix.join(folder, 'schema.json');
  if (schema !== undefined) await ctx.sandbox.writeText(schema, JSON.stringify(input.schema));
  return { images: images.map(([path]) => path), ...(schema === undefined ? {} : { schema }) };
}

function endingOf({ name, mediaType }: InputFile): string {
  const ending = IMAGES[mediaType];
  if (ending === undefined) throw new AgentInputError(`Codex cannot be shown "${name}" (${mediaType}): it takes PNG, JPEG, GIF and WebP. Put other files into the sandbox and name their path.`);
  return ending;
}
