import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ParsedTurn } from '../../src/agents/transcript.js';
import { streamEventSchema } from '../../src/evidence/events.js';
import { turnSchema } from '../../src/evidence/turn.js';

/**
 * Compares a parsed run with the fixture's `expected.json`, whole. A missing file is written when GOLDEN=write is set; what
 * was written is to be read against the run's script before it is kept.
 */
export function expectGolden(folder: string, parsed: ParsedTurn & { readonly after?: unknown }): void {
  const { after: _after, turn, ...rest } = parsed;
  const { events, ...facts } = turn;
  expect(() => turnSchema.parse(turn)).not.toThrow();
  for (const event of events) expect(streamEventSchema.parse(event)).toStrictEqual(event);
  const path = join(folder, 'expected.json');
  if (process.env['GOLDEN'] === 'write' && !existsSync(path)) writeFileSync(path, format({ ...rest, ...facts }, events));
  const expected = JSON.parse(readFileSync(path, 'utf8')) as unknown;
  expect(JSON.parse(JSON.stringify({ ...rest, ...facts, events }))).toStrictEqual(expected);
}

/** One event a line, so that a change can be read. */
function format(facts: object, events: readonly unknown[]): string {
  const head = JSON.stringify(facts, null, 1).slice(0, -2);
  return `${head},\n "events": [\n${events.map((event) => `  ${JSON.stringify(event)}`).join(',\n')}${events.length === 0 ? '' : '\n'} ]\n}\n`;
}
