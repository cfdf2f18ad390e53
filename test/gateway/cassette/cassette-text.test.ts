import { describe, expect, test } from 'vitest';
import type { CassetteExchange } from '../../../src/gateway/cassette/cassette.js';
import { cassetteTextOf, readCassetteText } from '../../../src/gateway/cassette/cassette-text.js';
import { keptHeaders } from '../../../src/gateway/cassette/headers.js';
import { outlineOf } from '../../../src/gateway/cassette/outline.js';
import { CassetteError } from '../../../src/gateway/errors.js';
import { capturedRun } from './bodies.js';

const SHA = 'a'.repeat(64);
const session = { experimentId: 'e', evalId: 'v', attempt: 1 };
const exchanges = capturedRun('codex-background', 1).map((request, index): CassetteExchange => ({
  ordinal: index + 1, outline: outlineOf(request), request: { body: SHA, sizeBytes: 3 }, response: { status: 200, headers: { 'content-type': 'text/event-stream' }, body: SHA, sizeBytes: 3, ending: 'cut' },
}));
const text = cassetteTextOf({ session, normalisation: 'n', exchanges });

test('what is written is read again', () => {
  expect(readCassetteText(text, 'f')).toEqual({ session, normalisation: 'n', exchanges });
});

test('a file that ends anywhere before its end is refused', () => {
  const small = cassetteTextOf({ session, normalisation: 'n', exchanges: exchanges.slice(0, 1).map((exchange) => ({ ...exchange, outline: { ...exchange.outline, parts: [] } })) });
  for (let length = 0; length < small.length; length += 1) expect(() => readCassetteText(small.slice(0, length), 'f'), String(length)).toThrow(CassetteError);
});

const lines = text.trimEnd().split('\n');
const damaged = (at: number, line: string): string => `${lines.map((own, index) => (index === at ? line : own)).join('\n')}\n`;
const edited = (at: number, edit: (line: Record<string, never>) => object): string => damaged(at, JSON.stringify(edit(JSON.parse(lines[at] ?? '') as Record<string, never>)));

describe('a file is refused, with its name, the line and what to do', () => {
  test.each<[string, string, RegExp]>([
    ['empty', '', /^f, line 1, is empty\. Record the Attempt again/],
    ['another version', edited(0, (line) => ({ ...line, format: 'niceeval.cassette/v9' })), /^f, line 1, has the format "niceeval\.cassette\/v9", and this niceeval reads "niceeval\.cassette\/v1"\. Use the niceeval that recorded it/],
    ['another format', edited(0, (line) => ({ ...line, format: 'x' })), /^f, line 1, does not fit at "format"/],
    ['no header', lines.slice(1).join('\n') + '\n', /^f, line 1, is no header/],
    ['no JSON', damaged(2, '{"type":'), /^f, line 3, is no JSON/],
    ['a key too many', edited(1, (line) => ({ ...line, extra: 1 })), /^f, line 2, does not fit/],
    ['a cookie', edited(1, (line) => ({ ...line, response: { ...(line['response'] as object), headers: { 'set-cookie': 'x' } } })), /^f, line 2, does not fit at "response\.headers\.set-cookie"/],
    ['a header with a line feed', edited(1, (line) => ({ ...line, response: { ...(line['response'] as object), headers: { 'retry-after': '1\r\nx: y' } } })), /^f, line 2, does not fit at "response\.headers\.retry-after"/],
    ['a path for a hash', edited(1, (line) => ({ ...line, request: { body: '../../etc/passwd', sizeBytes: 1 } })), /^f, line 2, does not fit at "request\.body"/],
    ['a huge body', edited(1, (line) => ({ ...line, request: { body: SHA, sizeBytes: 1e12 } })), /^f, line 2, does not fit at "request\.sizeBytes"/],
    ['an ordinal twice', edited(2, (line) => ({ ...line, ordinal: 1 })), /^f, line 3, has the ordinal 1 in the place of 2/],
    ['a missing line', [...lines.slice(0, -2), lines.at(-1)].join('\n') + '\n', /lines are missing/],
    ['no end', lines.slice(0, -1).join('\n') + '\n', /^f, line 5, is torn/],
    ['more after the end', `${text}x`, /^f, line 6, comes after the end/],
    ['a second header', damaged(1, lines[0] ?? ''), /^f, line 2, is a second header/],
    ['deep JSON', damaged(1, '['.repeat(500_000) + ']'.repeat(500_000)), /^f, line 2, does not fit/],
    ['control characters', edited(1, (line) => ({ ...line, '\u001b[31m': 1 })), /^[^\u001b]*$/],
  ])('%s', (_name, given, message) => {
    expect(() => readCassetteText(given, 'f')).toThrow(message);
    expect(() => readCassetteText(given, 'f')).toThrow(CassetteError);
  });
});

test('of the headers of an answer only those are kept that a client acts on', () => {
  expect(keptHeaders({
    'Content-Type': 'text/event-stream', 'retry-after': '3', 'x-should-retry': 'true', 'request-id': 'req_1', 'x-request-id': ['a', 'b'], 'set-cookie': ['s=1'], date: 'Mon, 30 Nov 2026 08:37:33 GMT',
    'anthropic-organization-id': 'o', 'openai-organization': 'o', 'cf-ray': 'c', server: 's', 'anthropic-ratelimit-tokens-reset': 't', 'content-encoding': 'gzip', 'content-length': '3', 'x-none': undefined,
  })).toEqual({ 'content-type': 'text/event-stream', 'request-id': 'req_1', 'retry-after': '3', 'x-request-id': 'a, b', 'x-should-retry': 'true' });
});
