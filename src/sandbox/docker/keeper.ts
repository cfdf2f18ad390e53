import { pack } from 'tar-stream';
import { Readable } from 'node:stream';
import { ImageError } from '../errors.js';
import type { Engine } from './engine.js';
import type { InspectedImage } from './image-facts.js';

/** What keeps a container alive while nothing runs in it, and ends it when nobody comes back. */
export interface Keeper {
  readonly entrypoint: readonly string[];
  /** The folder that `install` puts it into. Absent: the image has it. */
  readonly folder?: string;
  /** Puts it into a container that was created and not started. Does nothing where the image has it. */
  install(engine: Engine, containerId: string): Promise<void>;
}

const FOLDER = '.niceeval';
const PROGRAM = `/${FOLDER}/sleep`;

/**
 * The image's own `sleep`, or for an image without one a program of 170 bytes that only sleeps.
 *
 * @throws ImageError for an image without `sleep` whose processor is neither amd64 nor arm64.
 */
export function keeperFor(image: Pick<InspectedImage, 'reference' | 'lacksSleep' | 'architecture'>, lifetimeMs: number): Keeper {
  const seconds = Math.ceil(lifetimeMs / 1000);
  if (!image.lacksSleep) return { entrypoint: ['sleep', String(seconds)], install: () => Promise.resolve() };
  const program = sleepProgram(image.architecture, seconds);
  if (program === undefined) throw new ImageError(`The image "${image.reference}" has no program "sleep", which keeps a sandbox alive, and for the processor "${image.architecture}" there is none of ours. Add one to the image.`);
  return {
    entrypoint: [PROGRAM],
    folder: `/${FOLDER}`,
    install: async (engine, containerId) => {
      const archive = pack();
      archive.entry({ name: FOLDER, type: 'directory', mode: 0o755 });
      archive.entry({ name: PROGRAM.slice(1), mode: 0o555 }, program);
      archive.finalize();
      const body = Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false });
      await engine.call('copy a program into a container', (docker) => docker.getContainer(containerId).putArchive(body, { path: '/' }));
    },
  };
}

const HEADERS = 64 + 56;
const LOADED_AT = 0x400000;

// Each calls nanosleep with the time that lies behind the code, then exit with 0.
const CODE = {
  amd64: {
    machine: 62,
    // mov eax,35; lea rdi,[rip+18]; xor esi,esi; syscall; mov eax,60; xor edi,edi; syscall; nop (5)
    bytes: Buffer.from('b823000000488d3d12000000' + '31f60f05' + 'b83c000000' + '31ff0f05' + '9090909090', 'hex'),
  },
  arm64: {
    machine: 183,
    // adr x0,+32; mov x1,0; mov x8,101; svc 0; mov x0,0; mov x8,93; svc 0; nop
    bytes: words(0x10000100, 0xd2800001, 0xd2800ca8, 0xd4000001, 0xd2800000, 0xd2800ba8, 0xd4000001, 0xd503201f),
  },
} as const;

/** An ELF program, static and whole, that sleeps this long and ends with 0. `undefined`: not for this processor. */
export function sleepProgram(architecture: string, seconds: number): Buffer | undefined {
  if (architecture !== 'amd64' && architecture !== 'arm64') return undefined;
  const { machine, bytes: code } = CODE[architecture];
  const time = Buffer.alloc(16);
  time.writeBigInt64LE(BigInt(seconds));
  const size = HEADERS + code.length + time.length;
  const head = Buffer.alloc(HEADERS);
  head.write('7f454c46020101', 0, 'hex'); // ELF, 64 bits, little end first
  head.writeUInt16LE(2, 16); // an executable
  head.writeUInt16LE(machine, 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BigInt(LOADED_AT + HEADERS), 24); // where it begins
  head.writeBigUInt64LE(64n, 32); // where the program header is
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(1, 64); // the whole file is loaded
  head.writeUInt32LE(5, 68); // readable and executable
  head.writeBigUInt64LE(BigInt(LOADED_AT), 80);
  head.writeBigUInt64LE(BigInt(LOADED_AT), 88);
  head.writeBigUInt64LE(BigInt(size), 96);
  head.writeBigUInt64LE(BigInt(size), 104);
  head.writeBigUInt64LE(0x10000n, 112);
  return Buffer.concat([head, code, time]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
}
