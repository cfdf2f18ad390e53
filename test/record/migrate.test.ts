import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { RECORD_FILE_NAMES, recordJsonSchema } from '../../src/record/json-schema.js';
import { migrate } from '../../src/record/migrate.js';
import { attemptResult } from '../run/results.js';
import { OLD, openRecords, writeRun } from './records.js';

const old = async (): Promise<Record<string, unknown>> => (
  JSON.parse(await readFile(fileURLToPath(new URL(`../../fixtures/records/v1/${OLD.run}/run.json`, import.meta.url)), 'utf8')) as Record<string, unknown>);

describe('a run of version 1', () => {
  test('becomes one of version 2 that has ended, and stays as it was itself', async () => {
    const run = await old();
    const before = structuredClone(run);
    const migrated = migrate('run', run);
    expect(migrated).toEqual({
      state: 'migrated',
      value: {
        ...before, schemaVersion: 2, state: 'ended', sealedBy: 'run-file',
        planned: [{ id: OLD.passed, evalId: 'fix', experimentId: 'writer', index: 1 }, { id: OLD.failed, evalId: 'wrong', experimentId: 'writer', index: 1 }],
      },
    });
    expect(run).toEqual(before);
  });

  test.each([
    [{ format: 'niceeval.run', schemaVersion: 3 }, 'its schemaVersion is 3, and this niceeval reads up to 2: take a newer one'],
    [{ format: 'niceeval.run', schemaVersion: 0 }, 'its schemaVersion is 0, which is none'],
    [{ format: 'niceeval.run', schemaVersion: '1' }, 'its schemaVersion is "1", which is none'],
    [{ format: 'niceeval.attempt', schemaVersion: 1 }, 'it is no niceeval.run'],
    [[], 'it is no niceeval.run'],
    [null, 'it is no niceeval.run'],
  ])('but %j is refused with the reason', (value, reason) => {
    expect(migrate('run', value)).toEqual({ state: 'refused', reason });
  });
});

test('what is written fits the JSON Schemas', async () => {
  await using records = await openRecords();
  const folder = await writeRun(records.root, 'r1', [{ ...attemptResult(), spans: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'chat gpt-5', kind: 'client', startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1, status: 'ok', attributes: { 'gen_ai.usage.input_tokens': 1 } }] }]);
  const places = { run: 'run.json', attempt: 'attempts/sum.codex.0123abcd.1/attempt.json', claims: 'attempts/sum.codex.0123abcd.1/claims.json', changes: 'attempts/sum.codex.0123abcd.1/changes.json', events: 'attempts/sum.codex.0123abcd.1/events.jsonl', trace: 'attempts/sum.codex.0123abcd.1/trace.jsonl' };
  expect(RECORD_FILE_NAMES).toEqual(Object.keys(places));
  for (const name of RECORD_FILE_NAMES) {
    const text = await readFile(`${folder}/${places[name]}`, 'utf8');
    const validate = new Ajv2020({ strict: false }).compile(recordJsonSchema(name));
    const value = JSON.parse(name === 'events' || name === 'trace' ? text.split('\n')[0] ?? '' : text) as object;
    expect([name, validate(value), validate.errors]).toEqual([name, true, null]);
    expect([name, validate({ ...value, further: 1 })]).toEqual([name, true]);
    expect([name, validate(name === 'events' ? { ...value, turn: 'x' } : name === 'trace' ? { ...value, spanId: 'x' } : { ...value, schemaVersion: 99 })]).toEqual([name, false]);
  }
});
