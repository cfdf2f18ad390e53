import { AsyncLocalStorage } from 'node:async_hooks';
import { fileURLToPath } from 'node:url';
import { DefinitionError } from '../errors.js';

/** A data file that a module read while it was loaded. */
export interface DataInput {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** Of its bytes, hexadecimal. */
  readonly sha256: string;
  /** Absolute path of the module whose top level read it. Absent: that could not be told. */
  readonly module?: string;
}

/** One module of a project that is being loaded, with all that it imports. */
interface Discovery {
  /** Absolute. */
  readonly root: string;
  readonly register: (input: DataInput) => void;
  /** False as soon as the module is there: a timer that it started is not the discovery any more. */
  isOpen: boolean;
}

const current = new AsyncLocalStorage<Discovery>();
const HERE = fileURLToPath(new URL('.', import.meta.url));
const FRAMES = 200;

/**
 * Lets the loaders work while `load` runs.
 *
 * @param options.root Absolute path of the project.
 * @param options.register Gets every file that a loader reads.
 */
export async function discovering<T>(options: { readonly root: string; readonly register: (input: DataInput) => void }, load: () => Promise<T>): Promise<T> {
  const discovery: Discovery = { ...options, isOpen: true };
  try {
    return await current.run(discovery, load);
  } finally {
    discovery.isOpen = false;
  }
}

/** @throws DefinitionError where no module is being loaded. */
export function currentDiscovery(call: string): { readonly root: string; readonly register: (input: Omit<DataInput, 'module'>) => void } {
  const discovery = current.getStore();
  if (discovery?.isOpen !== true) {
    throw new DefinitionError(`${call} works only while niceeval loads the module, at its top level. Load the data there and use it in \`test\`.`);
  }
  const module = callingModule();
  return { root: discovery.root, register: (input) => { discovery.register({ ...input, ...(module === undefined ? {} : { module }) }); } };
}

/**
 * The module whose top level led here: the first frame without a name. A function of another module that it called is
 * not the one; who imports only that one does not depend on the file.
 */
function callingModule(): string | undefined {
  for (const frame of callSites()) {
    const name = frame.getFileName();
    if (typeof name !== 'string' || name.startsWith('node:')) continue;
    const file = name.startsWith('file:') ? fileURLToPath(name) : name;
    if (file.startsWith(HERE)) continue;
    // Behind the loader of modules comes niceeval itself.
    if (/[\\/]node_modules[\\/]jiti[\\/]/.test(file)) return undefined;
    if (frame.getFunctionName() === null && !/[\\/]node_modules[\\/]/.test(file)) return file;
  }
  return undefined;
}

function callSites(): readonly NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = (_error, frames) => frames;
    return new Error().stack as unknown as readonly NodeJS.CallSite[];
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}
