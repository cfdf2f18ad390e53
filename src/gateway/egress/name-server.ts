import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, RECURSION_DESIRED, type DecodedPacket, type Packet } from 'dns-packet';

/** Answers the names of one network. Never asks anybody. */
export interface NameServer extends AsyncDisposable {
  readonly port: number;
}

/** How long an answer may be kept, in seconds. Short, since what is allowed changes from phase to phase. */
const TTL_S = 1;

/**
 * Starts to answer on one address. An allowed name has that very address, where the relay listens; any other does not exist.
 *
 * @param options.isAllowed Asked for every name.
 * @param options.onDenied Told of every name that is not allowed, once per query.
 * @throws the system's error when the port cannot be had.
 */
export async function openNameServer(options: {
  readonly address: string;
  readonly port: number;
  readonly isAllowed: (name: string) => boolean;
  readonly onDenied: (name: string) => void;
}): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    const answer = answerTo(bytes, options);
    if (answer !== undefined) socket.send(answer, from.port, from.address, () => undefined);
  });
  socket.bind(options.port, options.address);
  await once(socket, 'listening');
  socket.on('error', () => undefined); // An answer that cannot be delivered is the asker's loss.
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => { socket.close(() => resolve()); }),
  };
}

function answerTo(bytes: Buffer, { address, isAllowed, onDenied }: Parameters<typeof openNameServer>[0]): Buffer | undefined {
  const query = decoded(bytes);
  const question = query?.questions?.[0];
  if (query === undefined || query.type !== 'query' || question === undefined) return undefined;
  const allowed = isAllowed(question.name);
  if (!allowed) onDenied(question.name);
  const packet: Packet = {
    type: 'response',
    id: query.id ?? 0,
    // The library writes the code of the answer with the flags: NXDOMAIN is 3.
    flags: ((query.flags ?? 0) & RECURSION_DESIRED) | (allowed ? 0 : 3),
    questions: [question],
    answers: allowed && question.type === 'A' ? [{ type: 'A', name: question.name, ttl: TTL_S, data: address }] : [],
  };
  return encode(packet);
}

function decoded(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined; // No query at all.
  }
}
