import { describe, expect, test } from 'vitest';
import { withRenames, withoutSecrets } from '../../../src/gateway/cassette/rewrite.js';

const masked = (text: string, secrets: readonly string[]): string => Buffer.from(withoutSecrets(Buffer.from(text), secrets)).toString();
const SECRET = 'sk-ant-"x"\\\n0123456789';

/** Events as the Messages API streams them: https://docs.anthropic.com/en/api/messages-streaming */
function stream(pieces: readonly string[], delta: (piece: string) => object): string {
  return pieces.map((piece) => `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: delta(piece) })}\n\n`).join('');
}

function joined(text: string, field: string): string {
  return text.split('\n').filter((line) => line.startsWith('data:')).map((line) => (JSON.parse(line.slice(5)) as { delta: Record<string, string> }).delta[field] ?? '').join('');
}

describe('a secret is replaced', () => {
  test.each([
    ['as it is', SECRET], ['in JSON', JSON.stringify({ a: SECRET })], ['in JSON in JSON', JSON.stringify({ a: JSON.stringify({ b: SECRET }) })], ['as a key', JSON.stringify({ [SECRET]: 1 })],
  ])('%s', (_name, text) => {
    const after = masked(text, ['other', SECRET]);
    expect(after).toContain('<secret>');
    expect(after).not.toContain('0123456789');
  });

  test('in bytes that are no text, which stay as they are otherwise', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('ключ-12345'), Buffer.from([0xfe])]);
    expect(Buffer.from(withoutSecrets(bytes, ['ключ-12345']))).toEqual(Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('<secret>'), Buffer.from([0xfe])]));
  });

  test('when two events of a stream share it, at every place', () => {
    for (let cut = 1; cut < SECRET.length; cut += 1) {
      const after = masked(stream(['The key is ', SECRET.slice(0, cut), SECRET.slice(cut), '!'], (text) => ({ type: 'text_delta', text })), [SECRET]);
      expect(joined(after, 'text')).toBe('The key is <secret>!');
    }
  });

  test('when it is streamed letter by letter, twice, as arguments of a call', () => {
    const json = JSON.stringify({ command: `echo ${SECRET} ${SECRET}` });
    const after = masked(stream([...json], (piece) => ({ type: 'input_json_delta', partial_json: piece })), [SECRET]);
    expect(joined(after, 'partial_json')).toBe('{"command":"echo <secret> <secret>"}');
  });

  test('without a change to events that have nothing of it', () => {
    const before = stream(['a'], (text) => ({ type: 'text_delta', text }));
    const after = masked(`: ping\n\ndata:   {"odd" : 1}\n\n${before}${stream([SECRET.slice(0, 9), SECRET.slice(9)], (text) => ({ text }))}data: [DONE]\n\n`, [SECRET]);
    expect(after.startsWith(`: ping\n\ndata:   {"odd" : 1}\n\n${before}`)).toBe(true);
    expect(after.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('never where two texts of a stream only stand side by side', () => {
    const events = [0, 1].map((index) => `data: ${JSON.stringify({ type: 'content_block_delta', index, delta: { text: index === 0 ? 'sec' : 'ret' } })}\n\n`).join('');
    expect(masked(events, ['secret'])).toBe(events);
  });
});

test('no secret, no change: the very bytes come back', () => {
  const bytes = Buffer.from('data: {"a":1}\r\n\r\n');
  expect(withoutSecrets(bytes, [])).toBe(bytes);
  expect(withoutSecrets(bytes, ['', 'x'.repeat(20)])).toBe(bytes);
});

describe('an id of the recorded run', () => {
  const renamed = (text: string, from: string, to: string): string => Buffer.from(withRenames(Buffer.from(text), [{ from, to }])).toString();
  test('becomes that of this one, where it stands alone', () => {
    expect(renamed('{"path":"/tasks/bzlwn29hh.output","x":"abzlwn29hh"}', 'bzlwn29hh', 'blu30y9nt')).toBe('{"path":"/tasks/blu30y9nt.output","x":"abzlwn29hh"}');
  });
  test('is found over the events of a stream', () => {
    const after = renamed(stream(['{"target":"01a22e2d-', 'e800-7653-9edd-94fdbe9f4f61"}'], (delta) => ({ delta })), '01a22e2d-e800-7653-9edd-94fdbe9f4f61', '01a22e2e-13b5-71d3-9763-0f28c35e5a17');
    expect(joined(after, 'delta')).toBe('{"target":"01a22e2e-13b5-71d3-9763-0f28c35e5a17"}');
  });
  test('that is a number changes only as a session', () => {
    const text = JSON.stringify({ usage: { output_tokens: 84272 }, arguments: '{"session_id":84272,"chars":"84272"}' });
    expect(renamed(text, '84272', '3093')).toBe(JSON.stringify({ usage: { output_tokens: 84272 }, arguments: '{"session_id":3093,"chars":"84272"}' }));
    expect(joined(renamed(stream(['{"sess', 'ion_id": 84', '272}'], (delta) => ({ delta })), '84272', '3093'), 'delta')).toBe('{"session_id": 3093}');
  });
});
