/** What the first bytes of a connection say. `unfinished`: more are needed. `other`: they do not begin a TLS connection. */
export type ClientHello = { readonly kind: 'hello'; readonly serverName: string | undefined } | { readonly kind: 'unfinished' } | { readonly kind: 'other' };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** RFC 8446, 5.1: a record holds at most 2^14 bytes. */
const LONGEST_RECORD = 16_384;
/** A hello of two kilobytes, one byte to a record. */
const MOST_RECORDS = 2_048;

/** Reads the name of the server that a TLS client asks for (RFC 6066, section 3), also where its hello is split over records. */
export function readClientHello(bytes: Buffer): ClientHello {
  const message: Buffer[] = [];
  for (let at = 0; ;) {
    if (bytes.length > at && bytes[at] !== HANDSHAKE) return { kind: 'other' };
    if (bytes.length < at + 5) return { kind: 'unfinished' };
    if (bytes[at + 1] !== 3) return { kind: 'other' };
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > LONGEST_RECORD) return { kind: 'other' };
    const fragment = bytes.subarray(at + 5, at + 5 + length);
    message.push(fragment);
    if (message.length > MOST_RECORDS) return { kind: 'other' };
    if (fragment.length === length && bytes.length > at + 5 + length) {
      at += 5 + length;
      continue;
    }
    // The last record that is there.
    const whole = Buffer.concat(message);
    if (whole.length > 0 && whole[0] !== CLIENT_HELLO) return { kind: 'other' };
    if (whole.length >= 4 && whole.length >= 4 + whole.readUIntBE(1, 3)) {
      return serverNameIn(whole.subarray(4, 4 + whole.readUIntBE(1, 3)));
    }
    return { kind: 'unfinished' };
  }
}

/** Walks version, random, session id, cipher suites and compression to the extensions (RFC 8446, 4.1.2). */
function serverNameIn(hello: Buffer): ClientHello {
  try {
    let at = 2 + 32;
    at += 1 + hello.readUInt8(at);
    at += 2 + hello.readUInt16BE(at);
    at += 1 + hello.readUInt8(at);
    if (at === hello.length) return { kind: 'hello', serverName: undefined };
    const end = at + 2 + hello.readUInt16BE(at);
    for (at += 2; at < end;) {
      const type = hello.readUInt16BE(at);
      const length = hello.readUInt16BE(at + 2);
      if (type === SERVER_NAME) return { kind: 'hello', serverName: hostNameIn(hello.subarray(at + 4, at + 4 + length)) };
      at += 4 + length;
    }
    return { kind: 'hello', serverName: undefined };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'other' }; // A length that leads out of the message.
    throw error;
  }
}

function hostNameIn(list: Buffer): string | undefined {
  for (let at = 2; at < list.length;) {
    const length = list.readUInt16BE(at + 1);
    if (list.readUInt8(at) === HOST_NAME) return list.subarray(at + 3, at + 3 + length).toString('latin1');
    at += 3 + length;
  }
  return undefined;
}
