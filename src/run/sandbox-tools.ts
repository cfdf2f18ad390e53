import { dirname, isAbsolute, join } from 'node:path';
import { maxChangedLines, notInDiff } from '../assert/diff-claims.js';
import type { ClaimSpec } from '../assert/entry.js';
import { changedPaths, fileChanged, fileDeleted, noChanges, onlyChanged, untouched } from '../assert/file-claims.js';
import { integrity } from '../assert/integrity-claim.js';
import type { FileEvidence, ReadFiles } from '../assert/file-evidence.js';
import type { AnyHandle } from '../assert/handle.js';
import type { ClaimLedger } from '../assert/ledger.js';
import type { SandboxTools } from '../define/context.js';
import type { CommandOptions, Sandbox } from '../sandbox/sandbox.js';
import { checkArguments, type AnyHandles } from './claims-of.js';

/** What the author's view of the sandbox needs. */
export interface SandboxToolsOptions {
  readonly workdir: string;
  /** The sandbox that an operation goes to; asked for each. */
  readonly current: () => Promise<Sandbox>;
  readonly claims: ClaimLedger;
  /** Runs one operation when no send is under way. */
  readonly take: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called before everything that may write. */
  readonly touched: () => void;
  /** Called before every command, and waited for: its phase may want another network. */
  readonly beforeCommand: () => Promise<void>;
  /** The frozen end of the Attempt; asked when claims are evaluated. */
  readonly fileEvidence: () => FileEvidence;
  /** Told what may be a slip of the pen. */
  readonly note: (code: string, message: string) => void;
  /** Relative host paths are relative to this file's folder. */
  readonly evalFile: string;
  /** What is left of the Attempt's time, and its end. */
  readonly signal: AbortSignal;
}

/** The sandbox as a test sees it: its operations, and claims about what the agent changed in it. */
export function createSandboxTools(options: SandboxToolsOptions): SandboxTools<AnyHandles> {
  const { workdir, current, claims, take, touched, beforeCommand, fileEvidence, signal } = options;
  const host = (path: string): string => (isAbsolute(path) ? path : join(dirname(options.evalFile), path));
  type Work<T> = (sandbox: Sandbox) => Promise<T>;
  const read = <T>(work: Work<T>): Promise<T> => take(async () => work(await current()));
  const write = <T>(work: Work<T>): Promise<T> => read((sandbox) => {
    touched();
    return work(sandbox);
  });
  const run = <T>(work: Work<T>): Promise<T> => write(async (sandbox) => {
    await beforeCommand();
    return work(sandbox);
  });
  const bounded = (given: CommandOptions = {}): CommandOptions => ({
    ...given, signal: given.signal === undefined ? signal : AbortSignal.any([signal, given.signal]),
  });
  const claim = <A extends readonly unknown[]>(name: string, most: number, specOf: (read: ReadFiles, ...given: A) => ClaimSpec) => (...given: A): AnyHandle => {
    checkArguments(name, most, given);
    return claims.register(specOf(fileEvidence, ...given));
  };
  return {
    workdir,
    runCommand: (command, args, given) => run((sandbox) => sandbox.runCommand(command, args, bounded(given))),
    runShell: (script, given) => run((sandbox) => sandbox.runShell(script, bounded(given))),
    runCommandOrThrow: (command, args, given) => run((sandbox) => sandbox.runCommandOrThrow(command, args, bounded(given))),
    runShellOrThrow: (script, given) => run((sandbox) => sandbox.runShellOrThrow(script, bounded(given))),
    readText: (path) => read((sandbox) => sandbox.readText(path)),
    readBytes: (path) => read((sandbox) => sandbox.readBytes(path)),
    pathExists: (path) => read((sandbox) => sandbox.pathExists(path)),
    writeText: (path, text) => write((sandbox) => sandbox.writeText(path, text)),
    writeBytes: (path, bytes) => write((sandbox) => sandbox.writeBytes(path, bytes)),
    uploadFile: (hostPath, path) => write((sandbox) => sandbox.uploadFile(host(hostPath), path)),
    uploadDirectory: (hostPath, path, given) => write(async (sandbox) => {
      const report = await sandbox.uploadDirectory(host(hostPath), path, given);
      for (const glob of report.unmatchedIgnore) options.note('upload-ignore-unmatched', `nothing in ${hostPath} fits ${JSON.stringify(glob)}, which its upload was to leave out`);
      return report;
    }),
    downloadFile: (path, hostPath) => read((sandbox) => sandbox.downloadFile(path, host(hostPath))),
    downloadDirectory: (path, hostPath) => read((sandbox) => sandbox.downloadDirectory(path, host(hostPath))),
    fileChanged: claim('fileChanged', 2, fileChanged),
    fileDeleted: claim('fileDeleted', 1, fileDeleted),
    changedPaths: claim('changedPaths', 1, changedPaths),
    onlyChanged: claim('onlyChanged', 1, onlyChanged),
    untouched: claim('untouched', 1, untouched),
    integrity: claim('integrity', 0, integrity),
    noChanges: claim('noChanges', 0, noChanges),
    notInDiff: claim('notInDiff', 2, notInDiff),
    maxChangedLines: claim('maxChangedLines', 1, maxChangedLines),
  };
}
