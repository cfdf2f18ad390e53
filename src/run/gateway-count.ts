import { addUsage, type Usage } from '../evidence/usage.js';
import type { Exchange, ExchangeOutcome } from '../gateway/exchange.js';
import type { GatewayCount, GatewayWindow } from './result.js';

/** Ways in which a request to a model ends when it was answered, or the service was at least asked. */
const ASKED: ReadonlySet<ExchangeOutcome> = new Set(['played', 'side', 'forwarded', 'replayed', 'faulted', 'upstream-failed', 'aborted']);

/** Whether a request was one to a model that came as far as its service, or as what stands for it. */
export function isModelRequest({ asksModel, outcome }: Exchange): boolean {
  return asksModel === true && ASKED.has(outcome);
}

/** Whether answers of its model were spoilt on purpose. */
export function wasFaulted(gateway: GatewayCount | undefined): boolean {
  return gateway?.windows?.some(({ faulted }) => faulted !== undefined) ?? false;
}

/**
 * Sums of what passed the gateway.
 *
 * @param exchanges Those that were kept one by one.
 * @param total Of all requests.
 */
export function gatewayCountOf(exchanges: readonly Exchange[], total: GatewayCount): GatewayCount {
  const labels = [...new Set(exchanges.flatMap(({ window }) => (window === undefined ? [] : [window])))];
  return { ...total, ...(labels.length === 0 ? {} : { windows: labels.map((label) => windowOf(label, exchanges.filter(({ window }) => window === label))) }) };
}

function windowOf(label: string, exchanges: readonly Exchange[]): GatewayWindow {
  const asked = exchanges.filter(isModelRequest);
  const retries = asked.flatMap(({ retry }) => (retry === undefined ? [] : [retry]));
  const applied = [...new Set(asked.flatMap((exchange) => exchange.applied ?? []))];
  const faulted = asked.filter(({ outcome }) => outcome === 'faulted').length;
  const agents = agentsOf(asked);
  const firstByteMs = spreadOf(asked.flatMap((exchange) => (exchange.firstByteMs === undefined ? [] : [exchange.firstByteMs])));
  const durationMs = spreadOf(asked.map((exchange) => exchange.durationMs));
  return {
    label,
    requests: asked.length,
    ...(retries.length === 0 ? {} : { retries: retries.filter((count) => count > 0).length }),
    ...(faulted === 0 ? {} : { faulted }),
    usage: usageOf(asked),
    ...(firstByteMs === undefined ? {} : { firstByteMs }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(agents === undefined ? {} : { agents }),
    ...(applied.length === 0 ? {} : { applied }),
  };
}

function agentsOf(asked: readonly Exchange[]): GatewayWindow['agents'] {
  const names = [...new Set(asked.map(({ client }) => client?.agent))];
  if (names.every((name) => name === undefined)) return undefined;
  return names.map((name) => {
    const own = asked.filter(({ client }) => client?.agent === name);
    return { agent: name ?? 'main', requests: own.length, usage: usageOf(own) };
  });
}

/** Split by model where every answer says which one gave it. */
function usageOf(asked: readonly Exchange[]): Usage {
  return usageByModel(asked.flatMap(({ model, usage }) => (usage === undefined ? [] : [{ model, usage }])));
}

/** Adds usages up, split by model where every one says which. */
export function usageByModel(parts: readonly { readonly model: string | undefined; readonly usage: Usage }[]): Usage {
  const total = addUsage(parts.map(({ usage }) => usage));
  if (parts.length === 0 || parts.some(({ model }) => model === undefined)) return total;
  return { ...total, ...addUsage(parts.map(({ model, usage }) => ({ models: { [model as string]: usage } }))) };
}

function spreadOf(numbers: readonly number[]): { readonly median: number; readonly most: number } | undefined {
  if (numbers.length === 0) return undefined;
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 1 ? sorted[Math.floor(middle)] as number : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
  return { median: Math.round(median), most: Math.round(sorted.at(-1) as number) };
}
