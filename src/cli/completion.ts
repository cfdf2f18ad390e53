import type { Argument, Command, Option } from 'commander';

/** Shells that can be told what there is. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** A command as a shell must know it. */
interface Known {
  /** Names from the program down, for instance `images gc`; of the program itself, nothing. */
  readonly path: string;
  readonly command: Command;
  readonly words: readonly string[];
  readonly options: readonly Option[];
}

/** A script for a shell, from the very tree of commands that is parsed by. */
export function completionOf(program: Command, shell: Shell): string {
  const known = commandsOf(program, '');
  const name = program.name();
  switch (shell) {
    case 'bash': return bashScript(name, known);
    case 'zsh': return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(name, known)}`;
    case 'fish': return fishScript(name, known);
  }
}

function commandsOf(command: Command, path: string): readonly Known[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const choices = command.registeredArguments.flatMap((argument: Argument) => argument.argChoices ?? []);
  return [
    { path, command, words: [...below.map((each) => each.name()), ...choices], options: help.visibleOptions(command) },
    ...below.flatMap((each) => commandsOf(each, `${path} ${each.name()}`.trim())),
  ];
}

const FLAG_NAMES = /^--?[\w-]+$/;

/** Only what needs no quoting in any shell may stand in a script. */
function flagsOf({ short, long }: Option): readonly string[] {
  return [short, long].flatMap((flag) => (flag !== undefined && FLAG_NAMES.test(flag) ? [flag] : []));
}

function takesPath({ flags }: Option): boolean {
  return /<(file|folder|path)>/.test(flags);
}

function bashScript(name: string, known: readonly Known[]): string {
  const nested = known.filter(({ path }) => path !== '').map(({ path }) => `      ${quoted(path)}) path=${quoted(path)} ;;`);
  const values = known.flatMap(({ path, options }) => options.filter(({ required }) => required).map((option) => {
    const pattern = flagsOf(option).map((flag) => quoted(`${path}:${flag}`)).join('|');
    const reply = option.argChoices !== undefined ? `-W ${quoted(option.argChoices.join(' '))}` : takesPath(option) ? '-f' : undefined;
    return `    ${pattern}) ${reply === undefined ? 'COMPREPLY=()' : `COMPREPLY=($(compgen ${reply} -- "$cur"))`}; return ;;`;
  }));
  const words = known.map(({ path, words: own, options }) => `    ${quoted(path)}) words=${quoted(own.join(' '))}; flags=${quoted(options.flatMap(flagsOf).join(' '))} ;;`);
  return `_${name}_complete() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="" path="" words="" flags="" i
  if [ "$COMP_CWORD" -gt 0 ]; then prev="\${COMP_WORDS[COMP_CWORD-1]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
${nested.join('\n')}
    esac
  done
  case "$path:$prev" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *)
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
      if [ -n "$path" ] && [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$cur")); fi
      ;;
  esac
}
complete -F _${name}_complete ${name}
`;
}

function fishScript(name: string, known: readonly Known[]): string {
  const lines = known.flatMap(({ path, command, words, options }) => {
    const names = path.split(' ').filter((part) => part !== '');
    const below = words.length === 0 ? '' : `; and not __fish_seen_subcommand_from ${words.join(' ')}`;
    const here = names.length === 0 ? '__fish_use_subcommand' : names.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ');
    const describe = (word: string): string => command.commands.find((each) => each.name() === word)?.description() ?? '';
    return [
      ...words.map((word) => `complete -c ${name} -f -n ${quoted(names.length === 0 ? here : `${here}${below}`)} -a ${quoted(word)} -d ${quoted(describe(word))}`),
      ...options.map((option) => {
        const value = !option.required ? '' : option.argChoices !== undefined ? ` -x -a ${quoted(option.argChoices.join(' '))}` : takesPath(option) ? ' -r' : ' -x';
        return `complete -c ${name} -n ${quoted(here)}${option.short === undefined ? '' : ` -s ${option.short.slice(1)}`}${option.long === undefined ? '' : ` -l ${option.long.slice(2)}`}${value} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** In single quotes, as all three shells take it; fish also takes a backslash in them for more than itself. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '/').replaceAll('\'', '’')}'`;
}
