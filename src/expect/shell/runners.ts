import type { Launch } from './launch.js';
import { skipOptions, type GivenOptions, type OptionTable } from './options.js';
import type { Word } from './word.js';
import { UNKNOWN_WORDS } from './word.js';
import { hidden } from './wrappers.js';

const NPX: OptionTable = {
  flags: 'y q s d yes no quiet silent no-install no-yes prefer-offline prefer-online offline ignore-scripts workspaces ws include-workspace-root ignore-existing',
  values: 'p c w package call cache registry userconfig prefix workspace loglevel shell node-arg',
};
const NPM: OptionTable = {
  flags: 's q d g silent quiet verbose global yes y no offline prefer-offline workspaces ws include-workspace-root if-present',
  values: 'C w prefix workspace loglevel registry cache userconfig',
};
const PNPM: OptionTable = {
  flags: 's r w silent recursive workspace-root aggregate-output parallel stream no-bail bail if-present offline prefer-offline no-color color',
  values: 'C F dir filter filter-prod reporter loglevel workspace-concurrency config test-pattern changed-files-ignore-pattern',
};
const PNPM_EXEC: OptionTable = { flags: 'r c parallel recursive shell-mode no-reporter-hide-prefix report-summary no-bail', values: 'resume-from' };
const PNPM_DLX: OptionTable = { flags: 'c s silent shell-mode', values: 'package allow-build' };
const YARN: OptionTable = { flags: 's silent offline verbose non-interactive no-progress', values: 'cwd' };
const YARN_DLX: OptionTable = { flags: 'q quiet', values: 'p package' };
const YARN_RUN: OptionTable = { flags: 'T B inspect inspect-brk top-level binaries-only silent s' };
const BUNX: OptionTable = { flags: 'bun silent verbose no-install', values: 'p package' };
const UV: OptionTable = {
  flags: 'q v n quiet verbose offline no-cache no-progress native-tls no-config',
  values: 'directory project config-file cache-dir color allow-insecure-host',
};
const UV_RUN: OptionTable = {
  flags: `${UV.flags} no-sync locked frozen isolated active exact no-project all-extras all-groups no-dev only-dev dev no-editable no-env-file managed-python no-managed-python refresh no-default-groups all-packages`,
  values: `${UV.values} p with with-editable with-requirements python extra no-extra group no-group only-group env-file package index index-url extra-index-url`,
};
const UVX: OptionTable = { flags: `${UV.flags} isolated refresh`, values: `${UV.values} p from with with-editable with-requirements python index index-url extra-index-url` };
const POETRY: OptionTable = { flags: 'q v n quiet verbose no-interaction no-plugins no-cache no-ansi ansi', values: 'C P directory project' };
const PIPX_RUN: OptionTable = { flags: 'no-cache verbose q v pypackages', values: 'spec python pip-args index-url' };
const CONDA_RUN: OptionTable = { flags: 'v no-capture-output live-stream', values: 'n p name prefix cwd' };

const YARN_OWN = new Set('add audit autoclean bin cache check config constraints create dedupe explain generate-lock-entry global help import info init install licenses link list login logout npm outdated owner pack patch patch-commit plugin policies publish rebuild remove search set stage start tag team test unlink unplug up upgrade upgrade-interactive version versions why workspaces'.split(' '));
const PNPM_OWN = new Set('add approve-builds audit bin bugs cache cat-file cat-index ci clean config c create dedupe deploy doctor env fetch find-hash help i import init install install-test it licenses link list ll ln login logout ls outdated owner pack patch patch-commit patch-remove ping prefix prune publish rb rebuild remove restart rm root run run-script search self-update server set setup start stop store t test tst un uninstall unlink unpublish up update upgrade version view why whoami'.split(' '));

const BUN_OWN = new Set('a add audit build c create discord feedback i info init install link list outdated patch pm publish remove repl rm run test unlink update upgrade why'.split(' '));

/** Package runners whose first operand is the command. */
const PLAIN: ReadonlyMap<string, OptionTable> = new Map([['npx', NPX], ['pnpx', PNPM_DLX], ['bunx', BUNX], ['uvx', UVX]]);
/** Runners with a word of their own before the command. */
const WITH_RUN: ReadonlyMap<string, { readonly own: OptionTable; readonly run: OptionTable; readonly words: readonly string[] }> = new Map([
  ['poetry', { own: POETRY, run: {}, words: ['run'] }],
  ['pipx', { own: {}, run: PIPX_RUN, words: ['run'] }],
  ['pipenv', { own: {}, run: {}, words: ['run'] }],
  ['pdm', { own: {}, run: { flags: 's v' }, words: ['run'] }],
  ['rye', { own: {}, run: {}, words: ['run'] }],
  ['bundle', { own: {}, run: { flags: 'keep-file-descriptors' }, words: ['exec'] }],
  ['conda', { own: {}, run: CONDA_RUN, words: ['run'] }],
  ['mamba', { own: {}, run: CONDA_RUN, words: ['run'] }],
  ['micromamba', { own: {}, run: CONDA_RUN, words: ['run'] }],
]);

export const RUNNER_NAMES: readonly string[] = [...PLAIN.keys(), ...WITH_RUN.keys(), 'npm', 'pnpm', 'yarn', 'yarnpkg', 'bun', 'uv', 'git'];

/** Looks through package runners, and through `git bisect run`. */
export function throughRunner(launch: Launch): boolean {
  const plain = PLAIN.get(launch.name);
  const withRun = WITH_RUN.get(launch.name);
  if (plain !== undefined) runs(launch, 1, plain);
  else if (withRun !== undefined) subcommand(launch, 1, withRun.own, (word, next) => { if (withRun.words.includes(word)) runs(launch, next, withRun.run); });
  else if (launch.name === 'npm') subcommand(launch, 1, NPM, (word, next) => {
    if (word === 'exec' || word === 'x') runs(launch, next, NPX, true);
    else if (word === 'explore') hidden(launch);
  });
  else if (launch.name === 'pnpm') throughPnpm(launch);
  else if (launch.name === 'yarn' || launch.name === 'yarnpkg') throughYarn(launch, 1);
  else if (launch.name === 'bun') throughBun(launch);
  else if (launch.name === 'uv') throughUv(launch);
  else return false;
  return true;
}

/** Finds the subcommand after the runner's own options. */
function subcommand(launch: Launch, from: number, own: OptionTable, act: (word: string, next: number) => void): void {
  const options = skipOptions(launch.words, from, own);
  if (options === undefined) return unsure(launch, from);
  const word = launch.words[options.next];
  if (word === undefined) return;
  if (word.literal === undefined) return hidden(launch);
  act(word.literal, options.next + 1);
}

// An option that is not known hides nothing when no word after it could be read as a way to run a program.
function unsure(launch: Launch, from: number): void {
  const rest = launch.words.slice(from);
  if (rest.every(({ literal }) => literal?.startsWith('-') === true)) return;
  hidden(launch);
}

/** The words after the options are the command. */
function runs(launch: Launch, from: number, table: OptionTable, rereads = false): void {
  const options = skipOptions(launch.words, from, table);
  if (options === undefined) return unsure(launch, from);
  if (options.given.has('c') || options.given.has('call') || options.given.has('shell-mode')) return runsLine(launch, options);
  const command = launch.words.slice(options.next);
  // npm takes options for itself also behind the command, up to a `--`.
  const taken = rereads && launch.words[options.next - 1]?.literal !== '--';
  launch.starts(taken ? command.flatMap((word, index) => ownedByNpm(word, index)) : command, 'inner', { versioned: true });
}

function ownedByNpm(word: Word, index: number): readonly Word[] {
  return index === 0 || (word.literal !== undefined && !word.literal.startsWith('-')) ? [word] : [UNKNOWN_WORDS];
}

function runsLine(launch: Launch, { given, next }: GivenOptions): void {
  const line = given.get('c') ?? given.get('call');
  const texts = line === undefined || line.literal === '' ? launch.words.slice(next).map(({ literal }) => literal) : [line.literal];
  if (texts.every((text) => text !== undefined)) launch.runsCode(texts.join(' '));
  else hidden(launch);
}

function throughPnpm(launch: Launch): void {
  subcommand(launch, 1, PNPM, (word, next) => {
    if (word === 'exec') runs(launch, next, PNPM_EXEC);
    else if (word === 'dlx') runs(launch, next, PNPM_DLX);
    else if (!PNPM_OWN.has(word)) scriptOrBinary(launch, next - 1);
  });
}

function throughYarn(launch: Launch, from: number): void {
  subcommand(launch, from, YARN, (word, next) => {
    if (word === 'exec') runs(launch, next, {});
    else if (word === 'dlx') runs(launch, next, YARN_DLX);
    else if (word === 'workspace') throughYarn(launch, next + 1);
    else if (word === 'workspaces' && launch.words[next]?.literal !== 'list' && launch.words[next]?.literal !== 'info') hidden(launch);
    else if (word === 'run') runs(launch, next, YARN_RUN);
    else if (!YARN_OWN.has(word)) scriptOrBinary(launch, next - 1);
  });
}

function throughBun(launch: Launch): void {
  // Anything that is not a plain word, such as an option with code, is looked at as for an interpreter.
  if (launch.words.slice(1).some(({ literal }) => literal !== undefined && /^(-e|-p|--eval|--print)/.test(literal))) return launch.mayRun('bun may run code');
  subcommand(launch, 1, { flags: 'silent bun b', values: 'cwd filter' }, (word, next) => {
    if (word === 'exec') return launch.mayRun('bun exec runs shell text');
    if (word === '-' || launch.words[next]?.literal === '-') return launch.mayRun('bun runs code from its standard input');
    if (word === 'x') return runs(launch, next, BUNX);
    const named = word === 'run' ? launch.words[next]?.literal : word;
    if (named === undefined || BUN_OWN.has(named) || /^-|[./]/.test(named)) return;
    scriptOrBinary(launch, word === 'run' ? next : next - 1);
  });
}

/** A script of the package or a program of that name: both go by the name. */
function scriptOrBinary(launch: Launch, from: number): void {
  launch.starts(launch.words.slice(from), 'inner');
}

function throughUv(launch: Launch): void {
  subcommand(launch, 1, UV, (word, next) => {
    if (word === 'run') {
      if (launch.words.slice(next).some(({ literal }) => literal === '-')) return launch.mayRun('uv runs code from its standard input');
      const module = launch.words.findIndex(({ literal }, index) => index >= next && (literal === '-m' || literal === '--module'));
      const options = skipOptions(launch.words, next, UV_RUN);
      if (options === undefined && module !== -1) launch.mayRun('uv runs a Python module', launch.words[module + 1]?.literal);
      else runs(launch, next, UV_RUN);
    } else if (word === 'tool' && launch.words[next]?.literal === 'run') {
      runs(launch, next + 1, UVX);
    }
  });
}
