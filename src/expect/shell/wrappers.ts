import type { Launch, Reached } from './launch.js';
import { skipOptions, type OptionTable } from './options.js';
import { showWords, shorten } from './reading.js';
import { UNKNOWN_WORDS, type Word, wordFrom } from './word.js';

/** A program that starts the command that its words end with. */
interface Wrapper extends OptionTable {
  /** Words before the command, for instance the duration of `timeout`. Default 0. */
  readonly operands?: number;
  /** `A=b` may stand before the command. */
  readonly assignments?: boolean;
  /** Options with which no command is started. */
  readonly silent?: string;
  /** Default `inner`. */
  readonly reached?: Reached;
  readonly lookup?: 'builtins';
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['env', { flags: '- i 0 v ignore-environment null debug', values: 'u C unset chdir', assignments: true }],
  ['cross-env', { assignments: true }],
  ['sudo', {
    flags: 'A B e E H i k K l n N P s S v V edit askpass bell preserve-groups set-home login list reset-timestamp remove-timestamp non-interactive shell stdin validate version',
    values: 'C D g h p r R t T u U close-from chdir group host prompt role chroot type command-timeout other-user user',
    attached: 'preserve-env', assignments: true, silent: 'e l v V K edit list validate version remove-timestamp',
  }],
  ['doas', { flags: 'n s L', values: 'u C a', silent: 'L C' }],
  ['timeout', { flags: 'v f p foreground preserve-status verbose', values: 's k signal kill-after', operands: 1 }],
  ['gtimeout', { flags: 'v f p foreground preserve-status verbose', values: 's k signal kill-after', operands: 1 }],
  ['nice', { values: 'n adjustment', numeric: true }],
  ['ionice', { flags: 't ignore', values: 'c n p P u class classdata pid', silent: 'p P u pid' }],
  ['chrt', { flags: 'a b f i o r R v', values: 'T P D', operands: 1 }],
  ['nohup', {}],
  ['time', { flags: 'v p a q verbose portability append quiet', values: 'f o format output' }],
  ['stdbuf', { values: 'i o e input output error' }],
  ['setsid', { flags: 'c f w ctty fork wait', reached: 'no-status' }],
  ['command', { flags: 'p v V', silent: 'v V', lookup: 'builtins' }],
  ['builtin', { lookup: 'builtins' }],
  ['exec', { flags: 'c l', values: 'a' }],
  ['taskset', { flags: 'a c p all-tasks cpu-list', silent: 'p', operands: 1 }],
  ['caffeinate', { flags: 'd i m s u', values: 't w' }],
  ['unbuffer', { flags: 'p' }],
  ['xvfb-run', { flags: 'a l auto-servernum listen-tcp', values: 'n s e f w p server-num server-args error-file auth-file wait xauth-protocol' }],
  ['corepack', {}],
]);

const XARGS: OptionTable = {
  flags: '0 r t p x o null no-run-if-empty verbose interactive exit open-tty',
  values: 'a d E I L n P s arg-file delimiter max-chars max-procs max-args',
  attached: 'i l e replace max-lines eof',
};

/** The wrappers that are looked through. */
export const WRAPPER_NAMES: readonly string[] = [...WRAPPERS.keys(), 'xargs', 'find', 'watch'];

/** Looks through programs that start the command in their words: `env`, `sudo`, `timeout`, `xargs`, `find -exec` and their like. */
export function throughWrapper(launch: Launch): boolean {
  const wrapper = WRAPPERS.get(launch.name);
  if (wrapper !== undefined) wrapped(launch, wrapper);
  else if (launch.name === 'xargs') throughXargs(launch);
  else if (launch.name === 'find') throughActions(launch, ['-exec', '-execdir', '-ok', '-okdir']);
  else if (launch.name === 'fd' || launch.name === 'fdfind') throughActions(launch, ['-x', '--exec', '-X', '--exec-batch']);
  else if (launch.name === 'watch') throughWatch(launch);
  else return false;
  return true;
}

function wrapped(launch: Launch, wrapper: Wrapper): void {
  const { words } = launch;
  const options = skipOptions(words, 1, wrapper);
  if (options === undefined) return hidden(launch);
  if ((wrapper.silent ?? '').split(' ').some((name) => options.given.has(name))) return;
  let next = options.next;
  if (wrapper.assignments === true) {
    for (let word = words[next]; word !== undefined && isAssignment(word); word = words[next]) next += 1;
  }
  const operands = words.slice(next, next + (wrapper.operands ?? 0));
  if (operands.some((word) => word.splits)) return hidden(launch);
  const inner = words.slice(next + operands.length);
  launch.starts(inner, wrapper.reached ?? 'inner', wrapper.lookup === undefined ? {} : { lookup: wrapper.lookup });
}

/** Says that the command after the options is not known for certain. */
export function hidden(launch: Launch): void {
  launch.mayRun(`${launch.name} may start another program: \`${shorten(showWords(launch.words))}\``);
}

function isAssignment(word: Word): boolean {
  const [start] = word.pieces;
  return !word.splits && typeof start === 'string' && /^[A-Za-z_]\w*=/.test(start);
}

function throughXargs(launch: Launch): void {
  const options = skipOptions(launch.words, 1, XARGS);
  if (options === undefined) return hidden(launch);
  const command = launch.words.slice(options.next);
  if (command.length === 0) return; // It prints the words.
  const replaced = options.given.get('I') ?? options.given.get('i') ?? options.given.get('replace');
  if (replaced === undefined) return launch.starts([...command, UNKNOWN_WORDS], 'conditional');
  const mark = replaced.literal === '' ? '{}' : replaced.literal;
  if (mark === undefined) return hidden(launch);
  launch.starts(command.map((word) => filledIn(word, mark)), 'conditional');
}

/** A word in which a placeholder stands for a text that is not known. */
function filledIn(word: Word, mark: string): Word {
  if (word.literal?.includes(mark) !== true) return word;
  return wordFrom(word.literal.split(mark).flatMap((text, index) => (index === 0 ? [text] : [{ hole: 'one' as const }, text])), word.text);
}

function throughActions(launch: Launch, actions: readonly string[]): void {
  const { words } = launch;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return;
    if (word.literal === undefined && (word.splits || word.pieces.every((piece) => typeof piece !== 'string' || piece === ''))) {
      // An expansion may hold an action of its own.
      if (word.pieces.some((piece) => typeof piece !== 'string' && piece.hole !== 'each') || word.text.startsWith('{')) hidden(launch);
      continue;
    }
    if (word.literal === undefined || !actions.includes(word.literal)) continue;
    const length = words.slice(at + 1).findIndex(({ literal }) => literal === ';' || (literal === '+' && word.literal !== '-ok'));
    const command = words.slice(at + 1, length === -1 ? undefined : at + 1 + length);
    const many = words[at + 1 + command.length]?.literal === '+' || word.literal === '-X' || word.literal === '--exec-batch';
    launch.starts(command.map((part) => (many && part.literal === '{}' ? UNKNOWN_WORDS : filledIn(part, part.literal?.includes('{}') === true ? '{}' : '{'))), 'conditional');
    at += command.length;
  }
}

function throughWatch(launch: Launch): void {
  const options = skipOptions(launch.words, 1, { flags: 'b c d e g p r t w x beep color errexit chgexit precise no-rerun no-title no-wrap exec', values: 'n q interval equexit', attached: 'differences' });
  if (options === undefined) return hidden(launch);
  const command = launch.words.slice(options.next);
  if (options.given.has('x') || options.given.has('exec')) return launch.starts(command, 'no-status');
  const texts = command.map(({ literal }) => literal);
  if (texts.every((text) => text !== undefined)) launch.runsCode(texts.join(' '), { reached: 'no-status' });
  else hidden(launch);
}
