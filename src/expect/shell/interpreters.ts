import type { Launch } from './launch.js';
import { skipOptions, type OptionTable } from './options.js';
import { showWords, shorten } from './reading.js';
import { literalWord, mayEqual, type Word } from './word.js';

/** A program that runs code in another language. */
interface Interpreter {
  /** Options that bring code. */
  readonly code: RegExp;
  /** Options whose value is the next word. */
  readonly values?: readonly string[];
  /** Options after which no code is read. */
  readonly other?: RegExp;
  /** Without a file, code is read from standard input. Default true. */
  readonly readsStdin?: boolean;
  /** Words before the file. */
  readonly subcommands?: readonly string[];
}

/** Files that are standard input by another name. */
const STDIN_FILES = /^(\/dev\/(stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ['python', { code: /^-[A-Za-ln-z]*c/, values: ['-W', '-X', '--check-hash-based-pycs'], other: /^(-m|-V|-h|-\?|--version|--help.*)$/ }],
  ['node', {
    code: /^(-e|-p|-pe|-ep|--eval(=.*)?|--print(=.*)?)$/, other: /^(-v|-h|--version|--help|--test|--run|--check|--v8-options|--completion-bash)$/,
    values: ['-r', '-C', '--require', '--import', '--loader', '--experimental-loader', '--conditions', '--env-file', '--title', '--input-type', '--test-reporter', '--test-name-pattern', '--test-reporter-destination'],
  }],
  ['tsx', { code: /^(-e|-p|--eval(=.*)?|--print(=.*)?)$/, values: ['-r', '--require', '--import', '--tsconfig'], other: /^(watch|-v|-h|--version|--help|--test)$/ }],
  ['ts-node', { code: /^(-e|-p|-pe|--eval|--print)$/, values: ['-r', '--require', '-P', '--project', '-O', '--compilerOptions'], other: /^(-v|-h|--version|--help)$/ }],
  ['bun', { code: /^(-e|-p|--eval(=.*)?|--print(=.*)?)$/, readsStdin: false }],
  ['deno', { code: /^(eval|repl)$/, readsStdin: false, subcommands: ['run'] }],
  ['perl', { code: /^-[A-Za-z0-9]*[eE]/, values: ['-I'], other: /^(-v|-V.*|-h|-\?|--version|--help)$/ }],
  ['ruby', { code: /^-[A-Za-z0-9]*e/, values: ['-I', '-r', '-C'], other: /^(-v|-h|--version|--help)$/ }],
  ['php', { code: /^-[rBRE]/, values: ['-c', '-d', '-t', '-z', '-S'], other: /^(-v|-h|-i|-m|-l|--version|--help)$/ }],
  ['lua', { code: /^-e/, values: ['-l'], other: /^-v$/ }],
  ['Rscript', { code: /^-e$/, other: /^--version$/ }],
  ['julia', { code: /^(-[eE]|--eval|--print)/, other: /^(-v|--version|-h|--help)$/ }],
  ['osascript', { code: /^-e$/, values: ['-l'] }],
  ['elixir', { code: /^(-e|--eval)$/, values: ['-r', '-pa'], other: /^(-v|--version|--help|-S)$/ }],
  ['groovy', { code: /^-e$/, other: /^(-v|--version|--help)$/ }],
  ['tclsh', { code: /^$/ }],
  ['expect', { code: /^-c$/ }],
  ['R', { code: /^-e/, other: /^(--version|--help)$/ }],
  ['swift', { code: /^-e$/, readsStdin: false }],
  ['scala', { code: /^(-e|--execute-script|-E)$/, readsStdin: false }],
  ['mix', { code: /^(-e|--eval)$/, readsStdin: false, subcommands: ['run'] }],
  ['zx', { code: /^(-e|--eval)/, readsStdin: false }],
]);

/** Other names of the same programs. */
const ALSO_CALLED: ReadonlyMap<string, string> = new Map([['nodejs', 'node'], ['ipython', 'python'], ['luajit', 'lua'], ['pypy', 'python']]);

/** Shells whose grammar is another one: their code is not read, and their files are like those of a shell. */
const OTHER_SHELLS = ['fish', 'pwsh', 'powershell', 'powershell.exe', 'cmd', 'cmd.exe', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish', 'busybox'];
const EDITORS = ['vim', 'vi', 'nvim', 'ex', 'ed', 'emacs'];
const AWKS = ['awk', 'gawk', 'mawk', 'nawk', 'original-awk'];

export const INTERPRETER_NAMES: readonly string[] = [...INTERPRETERS.keys(), ...ALSO_CALLED.keys(), 'python3', ...OTHER_SHELLS, ...EDITORS, ...AWKS, 'sed', 'gsed'];

/** Says where code in another language is run: such code could run any program. A script file is run like any program. */
export function throughInterpreter(launch: Launch): boolean {
  const { name, words } = launch;
  // `perl5.36`, `php8.2`, `lua5.4`.
  const plain = name.replace(/-?\d[\d.]*$/, '');
  const interpreter = INTERPRETERS.get(ALSO_CALLED.get(plain) ?? plain);
  const args = words.slice(1);
  if (interpreter !== undefined) return interprets(launch, interpreter);
  if (OTHER_SHELLS.includes(name) && !(args.length === 1 && /^-{1,2}(v|version|help|h)$/.test(args[0]?.literal ?? ''))) says(launch, 'is a shell whose code is not read');
  else if (EDITORS.includes(name)) says(launch, 'can run other programs');
  else if (AWKS.includes(name) && mayRunFromAwk(launch)) says(launch, 'runs awk code that may run programs');
  else if ((name === 'sed' || name === 'gsed') && mayRunFromSed(launch)) says(launch, 'runs sed code that may run programs');
  return false;
}

/** `system()` and a pipe run a program; a program in a file is run like any other. */
function mayRunFromAwk({ words }: Launch): boolean {
  for (let at = 1; at < words.length; at += 1) {
    const literal = words[at]?.literal;
    if (literal === undefined) return true;
    if (/^(-f|--file)/.test(literal)) return false;
    if (literal === '-v' || literal === '-F') at += 1;
    else if (!literal.startsWith('-') || literal === '-') return /system|\||@/.test(literal);
    else if (!/^-[vF]/.test(literal)) return literal !== '--version';
  }
  return false;
}

const SED: OptionTable = {
  flags: 'n E r s u z b quiet silent regexp-extended separate unbuffered null-data posix debug follow-symlinks sandbox help version', values: 'e f l expression file line-length', attached: 'i in-place',
};

/** The `e` command and the `e` flag of GNU sed run a program. */
function mayRunFromSed({ words }: Launch): boolean {
  const options = skipOptions(words, 1, SED);
  if (options === undefined) return true;
  const script = options.given.has('e') || options.given.has('expression') || options.given.has('f') || options.given.has('file') ? words.slice(1) : words.slice(options.next, options.next + 1);
  return script.some(({ literal }) => literal === undefined || mayHoldE(literal));
}

const SED_ADDRESS = String.raw`(?:(?:\d+|\$|/(?:[^/\\]|\\.)*/I?)(?:,(?:\d+|\$|/(?:[^/\\]|\\.)*/I?))?!?)?\s*`;
const HARMLESS_SED = [new RegExp(`^${SED_ADDRESS}[pdq=]$`), new RegExp(`^${SED_ADDRESS}([sy])([^\\w\\s\\\\])(?:\\\\.|(?!\\2).)*\\2(?:\\\\.|(?!\\2).)*\\2[gpiIm\\d]*$`, 's')];

/** Anything but one plain command may hold an `e`: sed knows many ways to write an address before it. */
function mayHoldE(script: string): boolean {
  if (HARMLESS_SED.some((harmless) => harmless.test(script.trim()))) return false;
  return /(?:^|[;{}\n]|\d|\$|[^\w\s\\]I?M?|!)\s*e/.test(script) || /[^\w\s\\][gpiImM\d]*e[gpiImM\d]*\s*(?:$|[;}\n])/.test(script);
}

function says(launch: Launch, what: string): void {
  launch.mayRun(`\`${shorten(showWords(launch.words))}\` ${what}`);
}

function interprets(launch: Launch, { code, values = [], other, readsStdin = true, subcommands = [] }: Interpreter): boolean {
  const { words } = launch;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    const { literal } = word;
    if (literal === undefined) {
      const [start] = word.pieces;
      const isFile = !word.splits && (word.text.startsWith('~') || (typeof start === 'string' && start !== '' && !start.startsWith('-')));
      if (!isFile) says(launch, 'may bring code that is not known');
      return false;
    }
    if (literal === '-m' && other?.test('-m') === true) {
      module(launch, words[at + 1]);
      return false;
    }
    if (literal.startsWith('-m') && other?.test('-m') === true) {
      module(launch, literalWord(literal.slice(2)));
      return false;
    }
    if (code.test(literal)) {
      says(launch, 'runs code in another language');
      return false;
    }
    if (other?.test(literal) === true) return false;
    if (literal === '-' || STDIN_FILES.test(literal)) {
      says(launch, launch.stdin.kind === 'text' ? 'runs code in another language' : `reads code from ${launch.stdin.what}`);
      return false;
    }
    if (values.includes(literal)) at += 1;
    else if (!literal.startsWith('-') && !(at === 1 && subcommands.includes(literal))) return false; // A file, run like a program.
  }
  if (readsStdin) says(launch, launch.stdin.kind === 'text' ? 'runs code in another language' : `reads code from ${launch.stdin.what}`);
  return false;
}

function module(launch: Launch, word: Word | undefined): void {
  if (word === undefined) return;
  if (word.literal === undefined) return says(launch, 'runs a module that is not known');
  const reason = `\`${shorten(showWords(launch.words))}\` runs a module, which need not be the program of that name`;
  launch.mayRun(reason, word.literal.split('.')[0]);
}

/** Programs that run others in ways that their words do not tell for certain, and the words with which they do. */
const OPAQUE: ReadonlyMap<string, readonly string[]> = new Map([
  ...['ssh', 'parallel', 'su', 'runuser', 'chroot', 'unshare', 'nsenter', 'flock', 'script', 'strace', 'ltrace', 'gdb', 'valgrind', 'perf', 'entr', 'nodemon', 'watchexec', 'tmux',
    'screen', 'systemd-run', 'at', 'batch', 'dotenv', 'dotenvx', 'nix', 'nix-shell', 'concurrently', 'hyperfine', 'arch', 'start-stop-daemon', 'supervise', 'proxychains', 'proxychains4',
    'firejail', 'bwrap', 'fakeroot', 'pkexec', 'gosu', 'su-exec', 'setpriv', 'chpst', 'tini', 'dumb-init', 'cgexec', 'numactl', 'prlimit', 'fc',
    'bind', 'enable', 'ssh-agent', 'chronic', 'ifne', 'sg', 'c8', 'nyc', 'cross-env-shell', 'compgen', 'm4', 'dc', 'sqlite3', 'psql'].map((name) => [name, []] as [string, string[]]),
  ['mapfile', ['-C']], ['readarray', ['-C']], ['docker', ['exec', 'run']], ['docker-compose', ['exec', 'run']], ['podman', ['exec', 'run']], ['nerdctl', ['exec', 'run']], ['kubectl', ['exec', 'run', 'debug']],
  ['mise', ['exec', 'x']], ['asdf', ['exec']], ['direnv', ['exec']], ['doppler', ['run']], ['op', ['run']], ['infisical', ['run']], ['hatch', ['run']], ['lerna', ['exec']],
  ['turbo', ['exec']], ['rush', ['exec']], ['nx', ['exec']], ['rtx', ['exec', 'x']], ['devbox', ['run']], ['vagrant', ['ssh']], ['tar', ['--to-command', '--checkpoint-action', '-I', '--use-compress-program']], ['split', ['--filter']], ['rsync', ['-e', '--rsh']], ['make', ['--eval']], ['gmake', ['--eval']],
]);

export const OPAQUE_NAMES: readonly string[] = [...OPAQUE.keys()];

/** Says where a known launcher may start a program that its words do not name for certain. */
export function throughOpaque(launch: Launch): boolean {
  const { name, words } = launch;
  const args = words.slice(1);
  if (name === 'git') return throughGit(launch);
  if ((name === 'make' || name === 'gmake') && args.some(({ literal }, index) => literal === '-' && /^(-f|--file|--makefile)$/.test(args[index - 1]?.literal ?? ''))) {
    says(launch, 'reads its rules from standard input');
    return true;
  }
  const launching = OPAQUE.get(name);
  if (launching === undefined) return false;
  // Alone such a name is most often a file or a question; only what reads commands from standard input runs any of them.
  if (args.length === 0) {
    if (launch.stdin.kind === 'text' && launching.length === 0) says(launch, 'may start another program');
    return launch.stdin.kind === 'text';
  }
  if (launching.length === 0 || args.some((word) => launching.some((wanted) => mayEqual(word, wanted) || word.literal?.startsWith(`${wanted}=`) === true))) says(launch, 'may start another program');
  return true;
}

/** Settings of git that start no program, whatever they are set to. */
const HARMLESS_SETTING = /^(user\.(name|email)|color\.[a-z.]+|core\.(quotepath|autocrlf|filemode|longpaths|ignorecase|safecrlf|eol|abbrev|bare|worktree)|safe\.directory|advice\.[a-z]+|init\.defaultbranch|commit\.gpgsign|tag\.gpgsign|gc\.auto|pull\.rebase|push\.default|diff\.(renames|context|algorithm|nopreffix|noprefix)|log\.[a-z]+|protocol\.version|fetch\.prune|http\.(postbuffer|version|sslverify)|merge\.(ff|conflictstyle)|i18n\.[a-z]+|column\.[a-z]+|status\.[a-z]+)(=(?!!)|$)/i;

function throughGit(launch: Launch): boolean {
  const args = launch.words.slice(1);
  const has = (text: string): number => args.findIndex(({ literal }) => literal === text);
  const bisect = has('bisect');
  if (bisect !== -1 && args[bisect + 1]?.literal === 'run') launch.starts(args.slice(bisect + 2), 'conditional');
  else if (has('rebase') !== -1 && args.some(({ literal }) => literal === undefined || /^(-x|--exec)/.test(literal))) says(launch, 'may start another program');
  else if (['foreach', 'filter-branch', 'difftool', 'mergetool'].some((word) => has(word) !== -1)) says(launch, 'may start another program');
  else if (args.some(({ literal }, index) => args[index - 1]?.literal === '-c' && (literal === undefined || !HARMLESS_SETTING.test(literal)))) says(launch, 'may start another program');
  return true;
}
