import type { Engine } from './engine.js';

/** Pauses between two looks: at least this long, and so many times as long as the look took. */
const PAUSE_MS = 2_000;
const PAUSE_TIMES = 10;

/**
 * Looks at the size of what a container wrote, and tells when it is more than allowed. Between two looks it can be more: the
 * kernel itself keeps to a limit only on file systems with quotas of projects, see `storageOptionOf`.
 */
export class DiskWatch {
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;
  #mostBytes: number | undefined;

  /** @param options.onExceeded Called once; then nobody looks any more. */
  constructor(readonly options: {
    readonly limitBytes: number;
    /** A quick look. `undefined`: it cannot be told now. */
    readonly sizeOf: () => Promise<number | undefined>;
    /** What is really on the disk, where the quick look is over the limit: an engine counts holes in files. `undefined`: it cannot be told. */
    readonly confirm: () => Promise<number | undefined>;
    readonly onExceeded: (seenBytes: number) => void;
  }) {}

  /** The most that was seen. `undefined`: nobody has looked yet. */
  get mostBytes(): number | undefined {
    return this.#mostBytes;
  }

  begin(): void {
    this.#again(PAUSE_MS);
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #again(pauseMs: number): void {
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => void this.#look(), pauseMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { limitBytes, sizeOf, confirm, onExceeded } = this.options;
    const begun = performance.now();
    const told = await sizeOf().catch(() => undefined); // What cannot be told now can be later; a container that is gone needs no watch.
    const bytes = told !== undefined && told > limitBytes ? await confirm().catch(() => undefined) ?? told : told;
    if (bytes !== undefined) this.#mostBytes = Math.max(this.#mostBytes ?? 0, bytes);
    if (bytes !== undefined && bytes > limitBytes && !this.#isEnded) {
      this.end();
      onExceeded(bytes);
    }
    this.#again(Math.max(PAUSE_MS, (performance.now() - begun) * PAUSE_TIMES));
  }
}

/** What the engine says that a container wrote, volumes not counted. */
export async function sizeOfContainer(engine: Engine, containerId: string): Promise<number | undefined> {
  const [found] = await engine.call('look at the size of a container', (docker) => docker.listContainers({ size: true, filters: { id: [containerId] } }));
  return (found as { readonly SizeRw?: number } | undefined)?.SizeRw;
}

/** A command that tells the blocks of all files of some folders that were changed since the container was made: /etc/hostname is written then. */
export function blocksOfChangedFiles(folders: readonly string[]): readonly string[] {
  return ['/usr/bin/find', ...folders, '-xdev', '-type', 'f', '-cnewer', '/etc/hostname', '-printf', '%b\\n'];
}
const BLOCK_BYTES = 512;

/** The bytes on the disk, from the output of {@link blocksOfChangedFiles}. */
export function bytesOfBlocks(output: string): number {
  return output.split('\n').reduce((sum, line) => sum + (Number(line) || 0), 0) * BLOCK_BYTES;
}

/** What `docker info` says of where containers write to. */
export interface StorageInfo {
  readonly Driver?: string;
  readonly DriverStatus?: readonly (readonly string[])[] | null;
}

/**
 * Whether the engine can limit what one container writes by itself. overlay2 can on XFS; whether it is mounted with `pquota`
 * is only told by a refusal. Source: Docker Engine reference, "Set storage driver options per container".
 */
export function mayLimitStorage({ Driver: driver = '', DriverStatus: status }: StorageInfo): boolean {
  const backing = (status ?? []).find(([name]) => name === 'Backing Filesystem')?.[1];
  return ['btrfs', 'zfs'].includes(driver) || (['overlay2', 'overlay'].includes(driver) && backing === 'xfs');
}
