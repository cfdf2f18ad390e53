import { randomBytes } from 'node:crypto';
import { sandboxConformance } from '../../../src/sandbox/conformance/sandbox-conformance.js';
import type { SandboxSubject } from '../../../src/sandbox/conformance/sandbox-subject.js';
import { docker } from '../../../src/sandbox/docker/spec.js';
import { openLocalProvider } from '../../../src/sandbox/local/provider.js';
import type { CommandOptions, CommandResult, OpenSandboxOptions, OwnedSandbox, SandboxProvider } from '../../../src/sandbox/sandbox.js';

/** What a backend does otherwise than it should. */
export interface Fault {
  readonly sandbox?: (real: OwnedSandbox) => Partial<OwnedSandbox>;
  readonly provider?: (real: SandboxProvider) => Partial<SandboxProvider>;
}

/** A thing that does some things otherwise. */
function otherwise<T extends object>(real: T, change: Partial<T>): T {
  return new Proxy(real, {
    get: (target, key) => {
      const value: unknown = Reflect.get(Object.hasOwn(change, key) ? change : target, key);
      return typeof value === 'function' && !Object.hasOwn(change, key) ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Runs one check of the suite against a local backend with a fault. Closes it in the end. */
export async function runFaulty(name: string, fault: Fault): Promise<void> {
  await using local = await openLocalProvider({ runId: `test-${randomBytes(4).toString('hex')}` });
  const broken = otherwise(local, {
    openSandbox: async (spec, options: OpenSandboxOptions) => {
      const real = await local.openSandbox(spec, options);
      return otherwise(real, fault.sandbox?.(real) ?? {});
    },
    ...fault.provider?.(local),
  });
  const subject: SandboxSubject = { name: 'broken', provider: () => Promise.resolve(broken), spec: docker() };
  const check = sandboxConformance(subject).find((found) => found.name === name);
  if (check === undefined) throw new Error(`there is no check "${name}"`);
  await check.run();
}

/** Changes what commands come to. */
export const results = (change: (result: CommandResult) => Partial<CommandResult>): Fault => ({
  sandbox: (real) => ({
    runCommand: async (command, args, options) => changed(await real.runCommand(command, args, options), change),
    runShell: async (script, options) => changed(await real.runShell(script, options), change),
  }),
});

function changed(result: CommandResult, change: (result: CommandResult) => Partial<CommandResult>): CommandResult {
  return { ...result, ...change(result) };
}

/** Changes what commands are started with. */
export const options = (change: (options: CommandOptions) => CommandOptions): Fault => ({
  sandbox: (real) => ({
    runCommand: (command, args, given = {}) => real.runCommand(command, args, change(given)),
    runShell: (script, given = {}) => real.runShell(script, change(given)),
    exec: (argv, given = {}) => real.exec(argv, change(given)),
  }),
});
