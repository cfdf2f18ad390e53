import type { Colors } from 'picocolors/types.js';
import wrapAnsi from 'wrap-ansi';
import type { AttemptResult } from '../run/result.js';
import { clip, plainLine } from './plain-text.js';

/** How an explanation is laid out. */
export interface ExplanationOptions {
  readonly colors: Colors;
  readonly columns: number;
}

type Claim = AttemptResult['claims'][number];
type Fact = readonly [name: string, text: string];

const TEXT_CHARACTERS = 1_000;
const NARROWEST = 40;
const NAME_COLUMNS = 10;

/** Everything about an Attempt that a person must know to understand its verdict, line by line: why it broke, and each claim that is not simply true. */
export function explanationOf(attempt: AttemptResult, options: ExplanationOptions): readonly string[] {
  const { error, skipped, claims, reasons, verdict } = attempt;
  const lines = [
    ...(error === undefined ? [] : titled('!', error.message, [['broke in', `${error.phase} (${error.code})`]], options)),
    ...claims.flatMap((claim) => claimLines(claim, options)),
    ...(skipped === undefined ? [] : titled('-', `skipped: ${skipped}`, [], options)),
  ];
  // A record of before claims told so much.
  const told = lines.length > 0 || verdict === 'passed' ? lines : reasons.flatMap((reason) => titled('!', reason, [], options));
  return [...told, ...memoryLines(attempt, options), ...deniedLines(attempt, options)];
}

const NAMED_HOSTS = 5;

/** What the agent itself asked for and was denied may be why it failed, or what it tried. */
function deniedLines({ network }: AttemptResult, options: ExplanationOptions): readonly string[] {
  const hosts = [...new Set((network?.denied ?? []).filter(({ phase }) => phase === 'agent').map(({ host }) => (host === '' ? 'no name' : host)))];
  if (hosts.length === 0) return [];
  const more = hosts.length > NAMED_HOSTS ? ` and ${hosts.length - NAMED_HOSTS} more` : '';
  return titled(options.colors.dim('-'), `denied while the agent worked: ${hosts.slice(0, NAMED_HOSTS).join(', ')}${more}`, [], options);
}

/** Kills for want of memory explain what looks like the agent's fault, or a program's. */
function memoryLines({ resources }: AttemptResult, options: ExplanationOptions): readonly string[] {
  const { oomKills = 0, memoryLimitBytes } = resources ?? {};
  if (oomKills === 0) return [];
  const limit = memoryLimitBytes === undefined ? '' : ` (limit ${Math.round(memoryLimitBytes / 1024 ** 2)} MiB)`;
  return titled(options.colors.yellow('!'), `${oomKills} ${oomKills === 1 ? 'process was' : 'processes were'} killed in the sandbox for want of memory${limit}`, [], options);
}

function claimLines(claim: Claim, options: ExplanationOptions): readonly string[] {
  const { colors } = options;
  const name = `${(claim.groups ?? []).map((title) => `${title} > `).join('')}${claim.label === undefined ? claim.description : `${claim.label} (${claim.description})`}`;
  switch (claim.state) {
    case 'matched':
    case 'measured': return [];
    case 'mismatched': return titled(claim.gates ? colors.red('✗') : colors.dim('~'), `${name} ${worthOf(claim)}`, mismatchOf(claim), options);
    case 'unavailable': return titled(claim.optional ? colors.dim('~') : colors.magenta('?'), `${name}${claim.optional ? ' (forgiven)' : ''}`, [['unknown', `${claim.reason ?? ''} [${claim.code ?? ''}]`]], options);
    case 'errored': return titled(colors.magenta('!'), name, [['broke', `${claim.reason ?? ''} [${claim.code ?? ''}]`]], options);
  }
}

function worthOf({ gates, points }: Claim): string {
  if (points !== undefined) return `(${points.earned ?? '?'} of ${points.possible} points)`;
  return gates ? '' : '(does not decide)';
}

function mismatchOf({ expected = '', received = '', path, nearest, note }: Claim): readonly Fact[] {
  return [
    ['expected', expected],
    ['received', received],
    ...(path === undefined ? [] : [['at', path] as const]),
    ...(note === undefined ? [] : [['because', note] as const]),
    ...(nearest === undefined ? [] : [
      ['nearest', nearest.what] as const,
      ['differs', `${nearest.path === undefined ? '' : `at ${nearest.path}: `}${nearest.received}, not ${nearest.expected}`] as const,
    ]),
  ];
}

function titled(mark: string, title: string, facts: readonly Fact[], { columns }: ExplanationOptions): readonly string[] {
  const width = Math.max(NARROWEST, columns);
  return [
    ...hung(`  ${mark} `, 4, title, width),
    ...facts.flatMap(([name, text]) => hung(`      ${name.padEnd(NAME_COLUMNS)}`, 6 + NAME_COLUMNS, text, width)),
  ];
}

/** A text of a stranger behind a head, its further lines below its first. */
function hung(head: string, indent: number, text: string, width: number): readonly string[] {
  const lines = wrapAnsi(clip(plainLine(text), TEXT_CHARACTERS), width - indent, { hard: true, trim: true }).split('\n');
  return lines.map((line, index) => `${index === 0 ? head : ' '.repeat(indent)}${line}`);
}
