import type { Duplex } from 'node:stream';
import type { Engine } from './engine.js';
import { demultiplex } from './frames.js';
import { parseResourceUse, RESOURCE_FILES, type ResourceReading } from './resource-use.js';

/** How long a reading may take. */
const LIMIT_MS = 2_000;
/** A reader ends with the processes of root, and with a restart of its container; then another one is started. */
const STARTS = 4;
const END = 'end of reading';

// Answers each line of input with `file:line` for every line of its files. Only words that the shell itself knows: it
// needs no new process, so it answers also when none is to be had.
const SCRIPT = `
while read -r asked; do
  for file in "$@"; do
    [ -r "$file" ] && while IFS= read -r line; do printf '%s:%s\\n' "$file" "$line"; done < "$file"
  done
  echo '${END}'
done 2>/dev/null`;

/** A reader in a container at the other end of its streams. */
interface Session {
  readonly isAlive: () => boolean;
  /** Never settles when the reader ends first. */
  readonly ask: () => Promise<string>;
  readonly close: () => void;
}

/**
 * Reads the kernel's counters of a container by a shell of root that waits in it. Starting a command takes the engine
 * 60 to 150 ms and its own statistics (20.10) a second, and these lack the kills; a shell that waits answers in a few
 * milliseconds. It ends when this process goes away.
 */
export class ResourceReader {
  #session: Promise<Session | undefined> | undefined;
  #starts = 0;
  #isReady = false;
  /** One question at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly engine: Engine, readonly containerId: string) {}

  /** Starts the reader, so that the first reading need not wait for it. Never throws. */
  begin(): void {
    this.#starts += 1;
    this.#session = openSession(this.engine, this.containerId).then((session) => {
      this.#isReady = true;
      return session;
    }, () => undefined);
  }

  /** Whether a reading would be answered without starting anything. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** `undefined`: the container could not be asked within 2 seconds. Never rejects. */
  read(): Promise<ResourceReading | undefined> {
    const reading = this.#last.then(() => withinLimit(this.#read()));
    this.#last = reading;
    return reading;
  }

  close(): void {
    this.#starts = STARTS;
    void this.#session?.then((session) => { session?.close(); });
  }

  async #read(): Promise<ResourceReading | undefined> {
    let session = await this.#session;
    if (session?.isAlive() !== true) {
      this.#isReady = false;
      if (this.#starts >= STARTS) return undefined;
      this.begin();
      session = await this.#session;
    }
    const text = await session?.ask();
    const reading = parseResourceUse(text ?? '');
    return Object.keys(reading).length === 0 ? undefined : reading;
  }
}

async function openSession(engine: Engine, containerId: string): Promise<Session> {
  const exec = await engine.call('prepare a reader', (docker) => docker.getContainer(containerId).exec({
    AttachStdin: true, AttachStdout: true, AttachStderr: false, Cmd: ['/bin/sh', '-c', SCRIPT, 'sh', ...RESOURCE_FILES], WorkingDir: '/', User: '0',
  }));
  const socket = await engine.call('start a reader', (): Promise<Duplex> => exec.start({ hijack: true, stdin: true }));
  let alive = true;
  let text = '';
  let answer: (text: string) => void = () => undefined;
  socket.on('error', () => undefined); // Its end says the same.
  void demultiplex(socket, {
    stdout: (chunk) => {
      text += Buffer.from(chunk).toString('latin1');
      if (text.endsWith(`${END}\n`)) answer(text);
    },
    stderr: () => undefined,
  }).catch(() => undefined).finally(() => { alive = false; answer(''); });
  return {
    isAlive: () => alive && !socket.destroyed,
    ask: () => new Promise((resolve) => {
      text = '';
      answer = resolve;
      socket.write('\n');
    }),
    close: () => { socket.destroy(); },
  };
}

async function withinLimit(work: Promise<ResourceReading | undefined>): Promise<ResourceReading | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(resolve, LIMIT_MS, undefined); });
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined; // A sandbox that is gone tells nothing; that is what absence means.
  } finally {
    clearTimeout(timer);
  }
}
