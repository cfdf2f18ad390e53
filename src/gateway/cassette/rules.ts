/** One thing that differs between two runs of the same conversation. */
export interface NormalRule {
  readonly name: string;
  /** Global, and linear: no quantifier stands within another one without a bound that is small. */
  readonly pattern: RegExp;
  /** As for `String.replace`; `$1` keeps what the pattern needs around the thing. */
  readonly becomes: string;
  /** What the pattern matches names something that the model may say again later. */
  readonly namesId?: true;
  /** Who makes it vary, and where it was seen. */
  readonly reason: string;
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const LONG_MONTH = '(?:January|February|March|April|May|June|July|August|September|October|November|December)';
const WEEKDAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const ISO_DAY = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const CLOCK = '[0-2]?\\d:[0-5]\\d(?::[0-6]\\d)?(?:[.,]\\d{1,9})?(?: ?[AaPp]\\.?[Mm]\\b)?';
const ZONE = '(?: ?(?:Z|UTC|GMT|CES?T|[ECMP][SD]T|[+-]\\d{2}:?\\d{2}|[+-]\\d{2})(?![\\w:]))?';
const ID = '[0-9a-z]{9,17}';

/** What is replaced in all texts, those of the model too. */
export const RULES_OF_ALL: readonly NormalRule[] = [
  { name: 'numbered call', pattern: /(?<=[a-z]_)1\d{12}(?=_\d{1,4}(?!\w))/g, becomes: '<ms>', reason: 'gemini 0.61: the client names calls of tools after the clock, `run_shell_command_1796071832529_0`' },
];

/**
 * What is replaced in every text that the client or the world wrote, the prompts included. Each of these stands in a form of its own, so
 * that ordinary numbers, dates and hashes of a conversation stay. What the model said stays as it is but for ids that were
 * told it: it comes out of the cassette.
 */
export const RULES_OF_PROMPTS: readonly NormalRule[] = [
  { name: 'uuid', pattern: /(?<![0-9a-zA-Z-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![0-9a-zA-Z-])/g, becomes: '<uuid>', namesId: true, reason: 'sessions, threads, turns, items, folders of a session; every CLI' },
  { name: 'billing version', pattern: /\bcc_version=\d{1,5}\.\d{1,5}\.\d{1,5}(?:\.\w{1,16})?/g, becomes: 'cc_version=<version>', reason: 'claude-code 2.1.197, system[0] `x-anthropic-billing-header`: its last part is a hash of the prompt' },
  { name: 'billing hash', pattern: /\bcch=\w{1,32}/g, becomes: 'cch=<hash>', reason: 'claude-code, system[0] `x-anthropic-billing-header`: an attestation of the request' },
  { name: 'kernel', pattern: /\bOS Version: [^\n]{1,200}/g, becomes: 'OS Version: <kernel>', reason: 'claude-code, system prompt: the kernel of the machine that the container runs on' },
  { name: 'commits of a prompt', pattern: /\bRecent commits:\n(?:[0-9a-f]{7,40} [^\n]{0,300}\n?){1,20}/g, becomes: '<recent commits>', reason: 'claude-code, system prompt: commits made while a workspace is prepared have new hashes' },
  { name: 'task of a command', pattern: new RegExp(`(?<=\\bin (?:the )?background with ID: |<task-id>|<shell-id>|\\bbackground command |\\bbash_id: )${ID}(?![0-9a-z])`, 'g'), becomes: '<task>', namesId: true, reason: 'claude-code: commands in the background have random ids' },
  { name: 'file of a task', pattern: new RegExp(`(?<=/tasks/|/tool-results/)${ID}(?=\\.(?:output|txt|json)\\b)`, 'g'), becomes: '<task>', namesId: true, reason: 'claude-code: files of output that is long or still comes' },
  { name: 'subagent', pattern: /(?<=\bagentId: |\bto: '|\bagent ID: |<agent-id>)a[0-9a-f]{16}(?![0-9a-f])/g, becomes: '<agent>', namesId: true, reason: 'claude-code: subagents have random ids' },
  { name: 'nickname', pattern: /(?<="nickname":")[^"\\]{1,60}(?=")/g, becomes: '<nickname>', reason: 'codex 0.171, spawn_agent: a name by chance; calls use the id' },
  { name: 'exec session', pattern: /(?<=\bsession ID )\d{1,10}\b/g, becomes: '<session>', namesId: true, reason: 'codex 0.171, exec_command: a random number for a command that still runs' },
  { name: 'chunk', pattern: /\bChunk ID: [0-9a-f]{4,12}\b/g, becomes: 'Chunk ID: <chunk>', reason: 'codex 0.171, exec_command' },
  { name: 'wall time', pattern: /\bWall time:? \d{1,9}(?:\.\d{1,9})? seconds/g, becomes: 'Wall time: <time> seconds', reason: 'codex 0.171, exec_command and code mode' },
  { name: 'duration of a task', pattern: /\b(duration_ms(?:>|"?[:=] ?))\d{1,12}(?:\.\d{1,9})?/g, becomes: '$1<time>', reason: 'claude-code, usage of a subagent; reports of node --test' },
  { name: 'timestamp', pattern: new RegExp(`(?<![\\w-])${ISO_DAY}(?:T|[ _])${CLOCK}${ZONE}`, 'g'), becomes: '<timestamp>', reason: 'ISO 8601 with a time: clocks of CLIs and tools' },
  { name: 'day with a clock', pattern: new RegExp(`\\b${WEEKDAY},? (?:${MONTH} {1,2}\\d{1,2}|\\d{1,2} ${MONTH})(?: \\d{4})? ${CLOCK}(?: [+-]?[A-Z\\d]{2,5})?(?: \\d{4})?(?: [+-]\\d{4})?`, 'g'), becomes: '<timestamp>', reason: 'ctime, date(1), RFC 1123, git log' },
  { name: 'day of a prompt', pattern: new RegExp(`((?:\\b[Dd]ate(?:time)?|\\b[Tt]oday(?:'s date)?|_date|_datetime)(?: is)?[:=]?["'>]? {0,3})(?:${ISO_DAY}|(?:(?:${LONG_DAY}|${WEEKDAY}),? )?(?:${LONG_MONTH}|${MONTH}) \\d{1,2},? \\d{4}|\\d{1,2}[./]\\d{1,2}[./]\\d{4})(?: \\(${LONG_DAY}\\))?`, 'g'), becomes: '$1<date>', reason: 'what the day is: `Today\'s date is`, `<current_date>`, `Date:`; claude-code, codex, gemini, opencode' },
  { name: 'month of a prompt', pattern: new RegExp(`(\\bcurrent month is )${LONG_MONTH} \\d{4}`, 'g'), becomes: '$1<month>', reason: 'claude-code, description of WebSearch' },
  { name: 'folder of a sandbox', pattern: /(niceeval-local-)[\w-]{1,80}?-[0-9a-f]{16}/g, becomes: '$1<random>', reason: 'the home and the workspace of a sandbox without a container, also where claude-code writes `-` for `/`' },
  { name: 'temporary folder', pattern: /((?:\/private)?(?:\/var)?\/tmp\/|\/var\/folders\/\w{2}\/\w{20,40}\/T\/)(?:tmp[a-z0-9_]{8}(?![\w-])|(?:[\w-]{0,60}[-._])?(?=[a-zA-Z]{0,11}[0-9A-Z])[A-Za-z0-9]{6,12}(?![\w-]))/g, becomes: '$1<random>', reason: 'mktemp, mkdtemp, Python\'s tempfile, homes of sandboxes without a container' },
  { name: 'folder of a user', pattern: /(\/tmp\/claude-)\d{1,6}(?=\/)/g, becomes: '$1<uid>', reason: 'claude-code: its temporary folder is named after the user\'s number' },
];

/** What is replaced further in what commands and tools put out. */
export const RULES_OF_OUTPUTS: readonly NormalRule[] = [
  { name: 'day', pattern: new RegExp(`(?<![\\w./-])${ISO_DAY}(?![\\w-])`, 'g'), becomes: '<date>', reason: 'date -I, logs, listings' },
  { name: 'day in words', pattern: new RegExp(`\\b${WEEKDAY},? (?:${MONTH} {1,2}\\d{1,2}|\\d{1,2} ${MONTH}),? \\d{4}\\b`, 'g'), becomes: '<date>', reason: 'toDateString of JavaScript, date(1) with a format' },
  { name: 'listing', pattern: new RegExp(`\\b${MONTH} {1,2}\\d{1,2} {1,2}(?:[0-2]\\d:[0-5]\\d(?::[0-5]\\d)?|\\d{4})(?!\\w)`, 'g'), becomes: '<listed>', reason: 'ls -l: when files were made, which is when the workspace was laid out' },
  { name: 'clock', pattern: /(?<![\w:.])[0-2]\d:[0-5]\d:[0-5]\d(?:[.,]\d{1,9})?(?![\w:])/g, becomes: '<clock>', reason: 'logs and reports of test runners (`Start at 10:37:16`)' },
  { name: 'duration', pattern: /(?<![\w.])\d{1,9}(?:\.\d{1,9})? ?(?:ms|[µμ]s|ns)\b/g, becomes: '<time>', reason: 'test runners, build tools' },
  { name: 'seconds taken', pattern: /(\b(?:in|Time:|Duration|took|after|real|user|sys|elapsed:?|finished in|Done in)[ \t]{1,8}|\()(?:\d{1,5}m ?)?\d{1,9}(?:\.\d{1,9})? ?s(?:ec(?:ond)?s?)?\b/g, becomes: '$1<time>', reason: 'pytest, jest, vitest, cargo, npm, time(1): `in 0.12s`, `Time: 1.2 s`, `real 0m0.01s`' },
  { name: 'go test', pattern: /^((?:ok|FAIL|---)[^\n]{1,300}[ \t(])\d{1,6}\.\d{1,4}s\b/gm, becomes: '$1<time>', reason: 'go test' },
  { name: 'process', pattern: /(\b(?:pid|PID|Pid|PGID|Background PIDs|process|Process)(?: ?[:=#] ?| id:? | ))\d{1,8}(?:, \d{1,8}){0,50}\b/g, becomes: '$1<pid>', reason: 'numbers of processes; gemini tells `Process Group PGID` after a command' },
  { name: 'job', pattern: /^(\[\d{1,3}\][+-]? )\d{2,8}$/gm, becomes: '$1<pid>', reason: 'bash: a job in the background' },
  { name: 'proc', pattern: /(\/proc\/)\d{1,8}\b/g, becomes: '$1<pid>', reason: 'numbers of processes in paths' },
  { name: 'host alone', pattern: /^(?=[0-9]{0,11}[a-f])(?=[a-f]{0,11}[0-9])[0-9a-f]{12}$/gm, becomes: '<host>', reason: 'hostname(1) in a container: its short id' },
  { name: 'host named', pattern: /(@|\bHOSTNAME=|\b[Hh]ost(?:name)?: )[0-9a-f]{12}\b/g, becomes: '$1<host>', reason: 'prompts of shells, printenv' },
  { name: 'container', pattern: /((?:docker|containers|libpod)[-/])[0-9a-f]{64}\b/g, becomes: '$1<container>', reason: 'cgroups and mounts of a container' },
  { name: 'commit', pattern: /(^commit |^Merge: |\bHEAD is now at |^\[[^\]\n]{1,200} )[0-9a-f]{7,40}\b/gm, becomes: '$1<commit>', reason: 'git: hashes depend on the time of the commit' },
  { name: 'commit on a line', pattern: /^(\* )?(?=[0-9]{0,39}[a-f])(?=[a-f]{0,39}[0-9])[0-9a-f]{7,40}(?= \S)/gm, becomes: '$1<commit>', reason: 'git log --oneline' },
  { name: 'port', pattern: /(\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|\[::1?\]):(?:3[2-9]\d{3}|[45]\d{4}|6[0-5]\d{3})\b/g, becomes: '$1:<port>', reason: 'ports that the system chose (32768 and above)' },
  { name: 'uptime', pattern: /\bup (?:\d{1,5} (?:years?|weeks?|days?|hours?|minutes?|min),? ?){1,5}/g, becomes: 'up <time> ', reason: 'uptime(1)' },
];

/** Fields of bodies that name a run and not what is asked: their whole value is replaced. Seen in the CLIs that are named. */
export const VOLATILE_FIELDS: { readonly [field: string]: string } = {
  'metadata.user_id': 'claude-code: device, account and session',
  prompt_cache_key: 'codex: the thread',
  safety_identifier: 'OpenAI: a hash of the user',
  user: 'OpenAI: the user',
  client_metadata: 'codex: ids, times and the commit of the workspace, in an order that varies',
  session_id: 'Gemini\'s own clients',
  user_prompt_id: 'Gemini\'s own clients',
};

/** Keys whose texts are data: no rule looks into them. */
export const OPAQUE_KEYS: ReadonlySet<string> = new Set(['data', 'signature', 'encrypted_content', 'thoughtSignature', 'image_url', 'file_data']);
