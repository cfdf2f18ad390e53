import { z } from 'zod';

/** How the judge is spoken to: OpenAI's Chat Completions, which many servers offer, or Anthropic's Messages. */
export type JudgeProtocol = 'openai' | 'anthropic';

/** Which model judges, and how it is reached. */
export interface JudgeConfig {
  /** The id of the model, as its endpoint knows it. */
  readonly model: string;
  /**
   * Default: `anthropic` when the host of `baseUrl` is anthropic.com or below it, or when there is no `baseUrl` and the
   * id of the model begins with "claude"; `openai` otherwise.
   */
  readonly protocol?: JudgeProtocol;
  /**
   * An http or https URL. `/chat/completions` (openai) or `/v1/messages` (anthropic) is added to it. Default:
   * `https://api.openai.com/v1` or `https://api.anthropic.com`.
   */
  readonly baseUrl?: string;
  /** The name of the environment variable that holds the key. Default: `NICEEVAL_JUDGE_KEY`. */
  readonly apiKeyEnv?: string;
  /**
   * Milliseconds for one measurement, with all its tries and the waits between them, from the moment when it is this
   * measurement's turn. Each try has a third of it for itself, so that one that hangs leaves time for another.
   * Default: 180 000.
   */
  readonly timeoutMs?: number;
}

/** A configuration with every default filled in. */
export interface CompleteJudgeConfig extends Required<JudgeConfig> {
  /** Where requests go: `baseUrl` and the protocol's path. */
  readonly endpoint: string;
}

export const judgeConfigSchema: z.ZodType<JudgeConfig> = z.strictObject({
  model: z.string().regex(/^[^\s\p{Cc}]([^\p{Cc}]*[^\s\p{Cc}])?$/u),
  protocol: z.enum(['openai', 'anthropic']).exactOptional(),
  baseUrl: z.string().refine(isPlainUrl).exactOptional(),
  apiKeyEnv: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/).exactOptional(),
  timeoutMs: z.int().min(1).exactOptional(),
});

const RULES: Readonly<Record<keyof JudgeConfig, string>> = {
  model: 'the id of a model, on one line, without space around it',
  protocol: '"openai" or "anthropic"',
  baseUrl: 'an http or https URL without user, password, query or fragment',
  apiKeyEnv: 'the name of an environment variable, such as NICEEVAL_JUDGE_KEY',
  timeoutMs: 'a whole number of milliseconds of at least 1',
};

/**
 * What is wrong with a configuration, as a clause without a full stop; `undefined` when nothing is. Values are not
 * repeated, since a key may stand where it does not belong.
 */
export function judgeConfigProblem(value: unknown): string | undefined {
  const parsed = judgeConfigSchema.safeParse(value);
  if (parsed.success) return undefined;
  const known = Object.keys(RULES).join(', ');
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') return `the field "${issue.keys[0]}" is not known; known are ${known}`;
  const field = issue?.path[0];
  if (field === undefined) return `it must be an object with the fields ${known}; only \`model\` is needed`;
  return `\`${String(field)}\` must be ${RULES[field as keyof JudgeConfig]}`;
}

const BASE_URLS: Readonly<Record<JudgeProtocol, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};

/** Fills in the defaults. The configuration must be one without a {@link judgeConfigProblem}. */
export function completeJudgeConfig(config: JudgeConfig): CompleteJudgeConfig {
  const protocol = config.protocol ?? defaultProtocol(config);
  const baseUrl = (config.baseUrl ?? BASE_URLS[protocol]).replace(/\/+$/, '');
  return {
    model: config.model,
    protocol,
    baseUrl,
    apiKeyEnv: config.apiKeyEnv ?? 'NICEEVAL_JUDGE_KEY',
    timeoutMs: config.timeoutMs ?? 180_000,
    // Anthropic's own clients take the URL without /v1, its documentation often shows it with.
    endpoint: protocol === 'openai' ? `${baseUrl}/chat/completions` : `${baseUrl.replace(/\/v1$/, '')}/v1/messages`,
  };
}

function defaultProtocol({ baseUrl, model }: JudgeConfig): JudgeProtocol {
  if (baseUrl === undefined) return model.startsWith('claude') ? 'anthropic' : 'openai';
  const { hostname } = new URL(baseUrl);
  return hostname === 'anthropic.com' || hostname.endsWith('.anthropic.com') ? 'anthropic' : 'openai';
}

function isPlainUrl(text: string): boolean {
  if (/[\s?#]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
