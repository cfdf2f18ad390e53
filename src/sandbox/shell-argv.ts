// `exec` so that the script's own exit code and signals are the command's; sh only finds out which shell there is.
const CHOOSE = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';

/** The words that run a script with bash where there is one, else with sh. */
export function shellArgv(script: string): readonly string[] {
  return ['sh', '-c', CHOOSE, 'sh', script];
}
