import { describe, expect, test } from 'vitest';
import type { FailureKind } from '../../src/evidence/failure-kind.js';
import { failureOf } from '../../src/run/failure.js';
import type { AttemptError } from '../../src/run/result.js';

const broken = (more: Partial<AttemptError>): AttemptError => ({ phase: 'test', code: 'test-threw', message: 'm', ...more });

describe('what broke an Attempt', () => {
  test.each<[string, AttemptError | undefined, FailureKind, boolean]>([
    ['no engine answers', broken({ phase: 'sandbox', code: 'engine-unavailable' }), 'engine', true],
    ['the container was killed', broken({ code: 'sandbox-gone' }), 'engine', true],
    ['the image cannot be made', broken({ phase: 'sandbox', code: 'image' }), 'image', true],
    ['the gateway died', broken({ phase: 'gateway', code: 'gateway-gone' }), 'network', true],
    ['nobody listens', broken({ phase: 'setup', code: 'ECONNREFUSED' }), 'network', true],
    ['the service says 429', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'api-error', httpStatus: 429 } }), 'rate-limit', true],
    ['the service says 401', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'api-error', httpStatus: 401 } }), 'auth', true],
    ['the service says 403', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'api-error', httpStatus: 403 } }), 'auth', true],
    ['the service says 529', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'api-error', httpStatus: 529 } }), 'model-service', true],
    ['the service failed without a status', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'api-error' } }), 'model-service', true],
    ['the CLI is not there', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'not-started' } }), 'cli-crash', true],
    ['the CLI said no end', broken({ phase: 'send', code: 'agent-send-failed', send: { kind: 'no-end' } }), 'cli-crash', true],
    ['time ran out in a send', broken({ phase: 'send', code: 'deadline-exceeded', timeout: { limitMs: 1, source: 'eval' } }), 'timeout', true],
    ['the adapter threw', broken({ phase: 'send', code: 'agent-threw' }), 'harness', true],
    ['the record cannot be written', broken({ phase: 'record', code: 'record-failed' }), 'harness', true],
    ['something unknown broke in the set-up', broken({ phase: 'setup', code: 'EWHATEVER' }), 'harness', true],
    ['the test threw', broken({}), 'eval', false],
    ['a send was not awaited', broken({ code: 'not-awaited' }), 'eval', false],
    ['a claim was made wrongly', broken({ phase: 'claims', code: 'claim-authoring' }), 'eval', false],
    ['a command of the test timed out', broken({ code: 'sandbox-command-timeout' }), 'eval', false],
    ['the run was interrupted', broken({ code: 'interrupted' }), 'interrupted', false],
    ['a claim could not be told', undefined, 'evidence', false],
  ])('when %s', (_what, error, kind, infrastructure) => {
    expect(failureOf(error)).toEqual({ kind, infrastructure });
  });
});
