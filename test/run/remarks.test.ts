import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { DiagnosticInput, ProgressInput } from '../../src/define/context.js';
import { openPassTest } from './contexts.js';

const remark = (more: Partial<DiagnosticInput> = {}): DiagnosticInput => ({ code: 'slow', level: 'warning', message: 'It took long.', ...more });

describe('t.diagnostic', () => {
  test('keeps a remark with what it says, and without its key', () => {
    const { t, notes } = openPassTest();
    t.diagnostic(remark({ data: { seconds: 9 }, dedupeKey: 'a' }));
    t.diagnostic(remark({ level: 'error' }));
    expect(notes.diagnostics).toEqual([
      { code: 'slow', level: 'warning', message: 'It took long.', data: { seconds: 9 } }, { code: 'slow', level: 'error', message: 'It took long.' },
    ]);
  });

  test('drops a later one with the same key, and no other', () => {
    const { t, notes } = openPassTest();
    for (const [message, dedupeKey] of [['1', 'a'], ['2', 'a'], ['3', 'b'], ['4', undefined], ['5', undefined], ['6', 'a']] as const) {
      t.diagnostic(remark({ message, ...(dedupeKey === undefined ? {} : { dedupeKey }) }));
    }
    expect(notes.diagnostics.map(({ message }) => message)).toEqual(['1', '3', '4', '5']);
  });

  test('keeps data as it was at the call', () => {
    const { t, notes } = openPassTest();
    const data = { list: [1] };
    t.diagnostic(remark({ data }));
    data.list.push(2);
    expect(notes.diagnostics).toEqual([remark({ data: { list: [1] } })]);
  });

  test('makes no claim', async () => {
    const { t, claims } = openPassTest();
    t.diagnostic(remark({ level: 'error' }));
    expect(await claims.settle()).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['a text', 'slow', 'diagnostic(...) needs an object with code, level, message, data, dedupeKey.'],
    ['an unknown field', { ...remark(), detail: 1 }, 'diagnostic(...) does not know the field "detail". It knows code, level, message, data, dedupeKey.'],
    ['an unknown level', remark({ level: 'info' as never }), 'diagnostic: `level` is warning or error, not "info".'],
    ['a blank message', remark({ message: ' ' }), 'diagnostic: `message` is a text that is not blank.'],
    ['no code', { level: 'error', message: 'a' }, 'The `code` of diagnostic(...) needs 1 to 256 characters and no control characters; undefined is none.'],
    ['a blank key', remark({ dedupeKey: '' }), 'The `dedupeKey` of diagnostic(...) needs 1 to 256 characters and no control characters; "" is none.'],
    ['data that is not JSON', remark({ data: (() => 1) as never }), 'diagnostic: `data` must be JSON.'],
    ['data with a date', remark({ data: { at: new Date(0) } as never }), 'diagnostic: `data` must be JSON.'],
  ])('refuses %s', (_what, given, message) => {
    const { t, notes } = openPassTest();
    expect(() => t.diagnostic(given as DiagnosticInput)).toThrow(new ClaimAuthoringError(message));
    expect(notes.diagnostics).toEqual([]);
  });
});

describe('t.progress', () => {
  test('is told and not kept', () => {
    const { t, notes, progress } = openPassTest();
    t.progress({ message: 'half way', current: 1, total: 2 });
    t.progress({ message: 'nearly' });
    expect(progress).toEqual([{ message: 'half way', current: 1, total: 2 }, { message: 'nearly' }]);
    expect([notes.diagnostics, notes.logs]).toEqual([[], []]);
  });

  test.each<[string, unknown, string]>([
    ['a text', 'half way', 'progress(...) needs an object with message, current, total.'],
    ['an unknown field', { message: 'a', percent: 5 }, 'progress(...) does not know the field "percent". It knows message, current, total.'],
    ['a blank message', { message: '' }, 'progress: `message` is a text that is not blank.'],
    ['a number below 0', { message: 'a', current: -1 }, 'progress: `current` is a number of at least 0, not -1.'],
    ['an endless total', { message: 'a', total: Infinity }, 'progress: `total` is a number of at least 0, not Infinity.'],
  ])('refuses %s', (_what, given, message) => {
    const { t, progress } = openPassTest();
    expect(() => t.progress(given as ProgressInput)).toThrow(new ClaimAuthoringError(message));
    expect(progress).toEqual([]);
  });
});
