import { createHash } from 'node:crypto';

/** Readable, safe as a folder's name, and different for different Attempts whatever their ids are made of. */
export function attemptIdOf(experimentId: string, evalId: string, index: number): string {
  const slug = (id: string): string => id.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 40);
  const hash = createHash('sha256').update(JSON.stringify([experimentId, evalId])).digest('hex').slice(0, 8);
  return `${slug(evalId) || 'eval'}.${slug(experimentId) || 'experiment'}.${hash}.${index}`;
}
