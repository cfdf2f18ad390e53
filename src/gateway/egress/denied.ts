import { z } from 'zod';

/** How a destination was asked for: its name was looked up, or a connection to it was begun. */
const VIAS = ['dns', 'tls', 'http'] as const;

/** A destination that was asked for and not allowed. */
export const deniedDestinationSchema = z.strictObject({
  via: z.enum(VIAS),
  /** As the sandbox wrote it, cut to 253 characters. Empty: a connection that named none. */
  host: z.string(),
  count: z.number().int().positive(),
});

export type DeniedDestination = z.infer<typeof deniedDestinationSchema>;

/** Destinations kept apart. What comes after them is counted under an empty name. */
const MOST = 200;
const LONGEST_NAME = 253;

/** Counts what was denied. */
export class DeniedLog {
  readonly #counts = new Map<string, { readonly via: DeniedDestination['via']; readonly host: string; count: number }>();

  add(via: DeniedDestination['via'], name: string): void {
    const host = name.toLowerCase().slice(0, LONGEST_NAME);
    const kept = this.#counts.has(`${via} ${host}`) || this.#counts.size < MOST ? host : '';
    const known = this.#counts.get(`${via} ${kept}`);
    if (known === undefined) this.#counts.set(`${via} ${kept}`, { via, host: kept, count: 1 });
    else known.count += 1;
  }

  /** What was counted since the last call, in the order in which each destination came first. */
  take(): readonly DeniedDestination[] {
    const taken = [...this.#counts.values()].map(({ via, host, count }) => ({ via, host, count }));
    this.#counts.clear();
    return taken;
  }
}
