import type { AgentSandbox } from './agent.js';

/**
 * The sandbox as an agent gets it: every command ends with the signal, whether or not the adapter passes one on, and
 * nothing in it can end the sandbox.
 */
export function boundSandbox(sandbox: AgentSandbox, signal: AbortSignal): AgentSandbox {
  const bounded = <O extends { readonly signal?: AbortSignal }>(given?: O): O & { readonly signal: AbortSignal } => ({
    ...(given ?? {} as O), signal: given?.signal === undefined ? signal : AbortSignal.any([signal, given.signal]),
  });
  return {
    id: sandbox.id,
    workdir: sandbox.workdir,
    home: sandbox.home,
    agentUser: sandbox.agentUser,
    agentIsRoot: sandbox.agentIsRoot,
    rootIsTrusted: sandbox.rootIsTrusted,
    temporaryFolder: sandbox.temporaryFolder,
    exec: (argv, options) => sandbox.exec(argv, bounded(options)),
    runCommand: (command, args, options) => sandbox.runCommand(command, args, bounded(options)),
    runShell: (script, options) => sandbox.runShell(script, bounded(options)),
    runCommandOrThrow: (command, args, options) => sandbox.runCommandOrThrow(command, args, bounded(options)),
    runShellOrThrow: (script, options) => sandbox.runShellOrThrow(script, bounded(options)),
    // What reads and writes files is short, and an adapter must still be able to collect when its time is up.
    readText: (path) => sandbox.readText(path),
    readBytes: (path) => sandbox.readBytes(path),
    writeText: (path, text) => sandbox.writeText(path, text),
    writeBytes: (path, bytes) => sandbox.writeBytes(path, bytes),
    pathExists: (path) => sandbox.pathExists(path),
    uploadFile: (hostPath, path) => sandbox.uploadFile(hostPath, path),
    uploadDirectory: (hostPath, path, options) => sandbox.uploadDirectory(hostPath, path, options),
    downloadFile: (path, hostPath) => sandbox.downloadFile(path, hostPath),
    downloadDirectory: (path, hostPath) => sandbox.downloadDirectory(path, hostPath),
    archive: (path, options) => sandbox.archive(path, options),
    agentProcesses: () => sandbox.agentProcesses(),
    endAgentProcesses: (spared) => sandbox.endAgentProcesses(spared),
    spareAgentProcesses: () => sandbox.spareAgentProcesses(),
    isRunning: () => sandbox.isRunning(),
  };
}
