/** Why a reasoning effort cannot be used, or `undefined` when it can. */
export function unsupportedEffort(agent: string, known: readonly string[], effort: string | undefined): string | undefined {
  if (effort === undefined || known.includes(effort)) return undefined;
  return `${agent} does not know the reasoningEffort "${effort}". It knows ${known.join(', ')}.`;
}
