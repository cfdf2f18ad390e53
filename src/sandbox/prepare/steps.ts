import { checkIgnore, checkKnown, checkName } from './check-options.js';
import type { CommandStep, RunStepOptions, ShellStep, UploadStep } from './step.js';

const RUN_OPTIONS = ['user', 'env', 'timeoutMs'];

/**
 * Copies a file, or the content of a folder, into the prepared image. It belongs to the agent's user and keeps its
 * permission bits; links are copied as links.
 *
 * @param hostPath Relative to the file that defines it.
 * @param target Absolute, or relative to the working directory. Default: the working directory, a file under its own
 *   name. A file goes to this path; with a `/` at the end, into that folder.
 * @param options.ignore Globs, relative to the folder, of what is left behind, for instance `node_modules/**`.
 * @throws TypeError for a path that is empty or an option that is not known.
 */
export function upload(hostPath: string, target?: string, options: { readonly ignore?: readonly string[] } = {}): UploadStep {
  checkName('upload()', 'the path of a file or a folder', hostPath);
  if (target !== undefined) checkName('upload()', 'a target', target);
  checkKnown('upload()', options, ['ignore']);
  const { ignore = [] } = options;
  checkIgnore('upload()', ignore);
  return Object.freeze({ kind: 'upload', hostPath, ...(target === undefined ? {} : { target }), ignore: [...ignore] });
}

/**
 * Runs one program in the working directory while the image is prepared, with an open network. No shell: `|` and `*`
 * have no meaning. A non-zero exit code fails the image.
 *
 * @param program Looked up in the image.
 * @param options.user A user of the image. Default: the agent's user.
 * @param options.env Only for this program: neither the image's configuration nor its history has it.
 * @param options.timeoutMs Milliseconds. Default: 30 minutes.
 * @throws TypeError for a program that is empty, an argument that is no text, or an option that is not known.
 */
export function command(program: string, args: readonly string[] = [], options: RunStepOptions = {}): CommandStep {
  checkName('command()', 'a program', program);
  const given: unknown = args;
  if (!Array.isArray(given) || given.some((word) => typeof word !== 'string' || word.includes('\0'))) throw new TypeError('command() takes the arguments as a list of texts.');
  return Object.freeze({ kind: 'command', argv: [program, ...args], ...checkedOptions('command()', options) });
}

/**
 * Runs a script in the working directory while the image is prepared, with an open network: by `bash` where the image
 * has it, else by `sh`. A non-zero exit code fails the image.
 *
 * @param options As those of `command`; `{ user: 'root' }` installs packages.
 * @throws TypeError for a script that is empty or an option that is not known.
 */
export function shell(script: string, options: RunStepOptions = {}): ShellStep {
  checkName('shell()', 'a script', script);
  return Object.freeze({ kind: 'shell', script, ...checkedOptions('shell()', options) });
}

function checkedOptions(factory: string, options: RunStepOptions): RunStepOptions {
  checkKnown(factory, options, RUN_OPTIONS);
  const { user, env, timeoutMs } = options;
  if (user !== undefined) checkName(factory, 'a user', user);
  if (env !== undefined) checkEnv(factory, env);
  if (timeoutMs !== undefined && (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1)) {
    throw new TypeError(`${factory}: \`timeoutMs\` must be a whole number of milliseconds from 1 to ${2 ** 31 - 1}, not ${String(timeoutMs)}.`);
  }
  return { ...(user === undefined ? {} : { user }), ...(env === undefined ? {} : { env: { ...env } }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function checkEnv(factory: string, env: unknown): void {
  const isMap = typeof env === 'object' && env !== null && !Array.isArray(env);
  const wrong = isMap ? Object.entries(env).find(([name, value]) => !/^[^=\0]+$/.test(name) || typeof value !== 'string' || value.includes('\0')) : undefined;
  if (!isMap) throw new TypeError(`${factory}: \`env\` must be an object of texts.`);
  if (wrong !== undefined) throw new TypeError(`${factory}: \`env\` must be an object of texts; look at "${wrong[0]}".`);
}
