import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeadlineError, startDeadline } from '../../src/lifetime/deadline.js';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

describe('startDeadline', () => {
  test('aborts at its end with an error that names the budget and the limit', () => {
    const deadline = startDeadline(1_500, { budget: 'attempt timeout (--timeout)' });
    vi.advanceTimersByTime(1_499);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    const reason = deadline.signal.reason as DeadlineError;
    expect(reason).toBeInstanceOf(DeadlineError);
    expect({ ...reason, message: reason.message }).toEqual({
      name: 'DeadlineError',
      code: 'deadline-exceeded',
      budget: 'attempt timeout (--timeout)',
      limitMs: 1_500,
      message: 'The attempt timeout (--timeout) of 1500 ms ran out.',
    });
  });

  test('says what is left of it, and never less than nothing', () => {
    const deadline = startDeadline(1_000, { budget: 'attempt timeout' });
    expect(deadline.remainingMs()).toBe(1_000);
    vi.advanceTimersByTime(400);
    expect(deadline.remainingMs()).toBe(600);
    vi.advanceTimersByTime(5_000);
    expect(deadline.remainingMs()).toBe(0);
  });

  test('has no end and no timer without a limit', () => {
    const deadline = startDeadline(undefined, { budget: 'attempt timeout' });
    expect(deadline.remainingMs()).toBe(Infinity);
    expect(vi.getTimerCount()).toBe(0);
    expect(deadline.signal.aborted).toBe(false);
  });

  test('keeps a limit of more than 25 days, which one timer cannot hold', () => {
    const thirtyDaysMs = 30 * 24 * 60 * 60 * 1_000;
    const deadline = startDeadline(thirtyDaysMs, { budget: 'attempt timeout' });
    vi.advanceTimersByTime(thirtyDaysMs - 1);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toEqual(new DeadlineError('attempt timeout', thirtyDaysMs));
  });

  test('ends with its parent, and with the reason of its parent', () => {
    const parent = new AbortController();
    const deadline = startDeadline(1_000, { budget: 'attempt timeout', parent: parent.signal });
    const reason = new Error('the run was interrupted');
    parent.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
    vi.advanceTimersByTime(2_000);
    expect(deadline.signal.reason).toBe(reason);
  });

  test('has ended already when its parent has', () => {
    const reason = new Error('the run was interrupted');
    const deadline = startDeadline(1_000, { budget: 'attempt timeout', parent: AbortSignal.abort(reason) });
    expect(deadline.signal.reason).toBe(reason);
  });

  test('lets its timer and its parent go when it is closed', () => {
    const parent = new AbortController();
    const deadline = startDeadline(1_000, { budget: 'attempt timeout', parent: parent.signal });
    deadline.close();
    expect(vi.getTimerCount()).toBe(0);
    parent.abort();
    vi.advanceTimersByTime(2_000);
    expect(deadline.signal.aborted).toBe(false);
  });
});
