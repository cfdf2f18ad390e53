import { simpleGit, type SimpleGitOptions } from 'simple-git';

/** Runs git with these arguments and gives what it printed. Rejects with git's own message. */
export type Git = (args: readonly string[]) => Promise<string>;

const PASSED_ON = [
  'PATH', 'HOME', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK', 'TMPDIR', 'LANG',
  'http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'all_proxy', 'ALL_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
];

/** Somebody may be asked for a password where nobody sits. */
const NETWORK_LIMIT_MS = 30 * 60_000;

/** Git as the person at this machine has it set up, with credentials and rewritten addresses; it asks nobody for a password, and ends after 30 minutes. */
export function networkGit(folder: string, signal: AbortSignal): Git {
  return (args) => gitIn(folder, AbortSignal.any([signal, AbortSignal.timeout(NETWORK_LIMIT_MS)]), { GIT_TERMINAL_PROMPT: '0' })(args);
}

/** Git without any settings of this machine, so that the same commit always makes the same files. */
export function isolatedGit(folder: string, signal: AbortSignal): Git {
  return gitIn(folder, signal, { GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' });
}

function gitIn(baseDir: string, signal: AbortSignal, own: Readonly<Record<string, string>>): Git {
  const options: Partial<SimpleGitOptions> = {
    baseDir,
    abort: signal,
    config: ['core.logAllRefUpdates=false', 'gc.auto=0'],
    allowEnvironment: Object.keys(own),
    // The template is none, and the configuration is none: both take power away.
    unsafe: { allowUnsafeTemplateDir: true, allowUnsafeConfigPaths: true },
  };
  const passed = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const git = simpleGit(options).env({ ...passed, ...own });
  return (args) => git.raw([...args]);
}
