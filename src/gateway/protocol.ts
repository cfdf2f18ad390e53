/** The protocols that the gateway speaks, by the name that exchange records use. */
export const PROTOCOLS = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'] as const;

/** One of {@link PROTOCOLS}: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions, Gemini generateContent. */
export type ProtocolName = (typeof PROTOCOLS)[number];
