import { randomBytes } from 'node:crypto';

/** Sorts by time, never meets another: 20261130-031500-4f2a9c. */
export function newRunId(): string {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(3).toString('hex')}`;
}
