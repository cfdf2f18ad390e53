import { forEachChild, parse, type AndOr, type Command, type CommandNode, type CompoundList, type Function as FunctionNode, type Pipeline, type PipelineNode, type Statement, type SyntaxNode } from 'unbash';
import { inSubshell, NO_STDIN, settled, type Here } from './here.js';
import { createInvocations, type Collected } from './invoke.js';
import type { Stdin } from './launch.js';
import { CONDITIONAL, inverted, lastOfPipeline, lastOfSeveral, sidesOf, withoutStatus, type Place } from './place.js';
import { shorten } from './reading.js';
import { mayEnd } from './state.js';
import { commandWords, printedOn, stdinOf } from './streams.js';
import { errorOf } from './syntax.js';
import type { Word } from './word.js';

const FROM_PIPE: Stdin = { kind: 'unknown', what: 'a pipe' };
const FROM_REDIRECTION: Stdin = { kind: 'unknown', what: 'a redirection' };

/** Walks statements, or the words of a program, as the shell runs them. */
export interface Walk {
  readonly statements: (statements: readonly Statement[], here: Here) => void;
  readonly words: (words: readonly Word[], here: Here) => void;
}

/** Makes a walk that notes what it finds. */
export function createWalk(collected: Collected): Walk {
  const invocations = createInvocations(collected, { code: walkCode, body: walkNode });
  return { statements: walkStatements, words: (words, here) => invocations.invoke(words, here, 'all') };

  function walkCode(code: string, here: Here): void {
    const script = parse(code);
    const error = errorOf(script);
    if (error !== undefined) collected.mayRun({ reason: `the code \`${shorten(code)}\` could not be read: ${error.message}` });
    else walkStatements(script.commands, here);
  }

  function walkStatements(statements: readonly Statement[], here: Here): void {
    for (const [index, statement] of statements.entries()) {
      const last = index === statements.length - 1;
      const place = last ? (index === 0 ? here.place : lastOfSeveral(here.place)) : withoutStatus(here.place);
      if (statement.background === true) {
        walkPipelines(statement.command, { ...inSubshell({ ...here, place: withoutStatus(place) }), background: true });
      } else {
        walkPipelines(statement.command, { ...here, place });
        if (here.state.errexit && !isHarmless(statement)) mayEnd(here.state, 'failing');
      }
    }
  }

  function walkPipelines(node: PipelineNode | AndOr, here: Here): void {
    if (node.type !== 'AndOr') return walkPipeline(node, here);
    const places: Place[] = [];
    let place = here.place;
    for (let index = node.commands.length - 1; index > 0; index -= 1) {
      const sides = sidesOf(place, node.operators[index - 1] ?? '&&');
      places[index] = sides.right;
      place = sides.left;
    }
    places[0] = place;
    for (const [index, command] of node.commands.entries()) walkPipeline(command, { ...here, place: places[index] ?? CONDITIONAL });
  }

  function walkPipeline(node: PipelineNode, here: Here): void {
    if (node.type !== 'Pipeline') return walkNode(node, here);
    const place = negated(node) ? inverted(here.place) : here.place;
    const [only] = node.commands;
    if (node.commands.length === 1 && only !== undefined) return walkNode(only, { ...here, place });
    for (const [index, command] of node.commands.entries()) {
      const last = index === node.commands.length - 1;
      const before = node.commands[index - 1];
      const printed = before === undefined ? undefined : printedOn(before, here.state);
      walkNode(command, inSubshell({
        ...here, pipelined: true,
        place: last ? lastOfPipeline(place, collected.pipefail()) : withoutStatus(place),
        // In a group, another command may have read the input before.
        stdin: index === 0 ? here.stdin : printed === undefined || command.type !== 'Command' ? FROM_PIPE : { kind: 'text', text: printed },
      }));
    }
  }

  function walkNode(node: CommandNode | CompoundList, here: Here): void {
    switch (node.type) {
      case 'Command':
        return walkCommand(node, here);
      case 'CompoundList':
        return walkStatements(node.commands, here);
      case 'Redirected': {
        for (const redirect of node.redirects) walkNested(redirect, here);
        const reads = node.redirects.some(({ operator }) => operator.startsWith('<'));
        return walkNode(node.command, reads ? { ...here, stdin: FROM_REDIRECTION } : here);
      }
      case 'BraceGroup':
        return walkStatements(node.body.commands, here);
      case 'Subshell':
        return walkStatements(node.body.commands, inSubshell(here));
      case 'Coproc':
        return walkNode(node.body, { ...inSubshell({ ...here, place: withoutStatus(here.place) }), background: true });
      case 'Function':
        return define(node, here);
      case 'If': {
        walkStatements(node.clause.commands, { ...here, place: withoutStatus(here.place) });
        const maybe = { ...here, place: CONDITIONAL };
        walkStatements(node.then.commands, maybe);
        for (const branch of node.elif) {
          walkStatements(branch.clause.commands, maybe);
          walkStatements(branch.then.commands, maybe);
        }
        if (node.else !== undefined) walkStatements(node.else.commands, maybe);
        return;
      }
      case 'While':
        walkStatements(node.clause.commands, { ...here, place: withoutStatus(here.place) });
        walkLoop(node.body, here);
        if (neverEnds(node.clause)) mayEnd(here.state, 'any');
        return;
      case 'For':
      case 'Select':
        for (const word of node.wordlist ?? []) walkNested(word, here);
        return walkLoop(node.body, here);
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) walkNested(part, { ...here, place: CONDITIONAL });
        walkLoop(node.body, here);
        if (node.test === undefined) mayEnd(here.state, 'any');
        return;
      case 'Case':
        walkNested(node.word, here);
        for (const item of node.items) {
          for (const word of item.pattern) walkNested(word, { ...here, place: CONDITIONAL });
          walkStatements(item.body.commands, { ...here, place: CONDITIONAL });
        }
        return;
      case 'TestCommand':
      case 'ArithmeticCommand':
        return walkNested(node, here);
    }
  }

  // A `break` ends the loop and not the shell; whatever else may end the shell stays so.
  function walkLoop(body: CompoundList, here: Here): void {
    walkStatements(body.commands, { ...here, place: CONDITIONAL });
  }

  function define(node: FunctionNode, here: Here): void {
    const sure = settled(here.place, here.state).always;
    here.state.definitions.set(node.name.value, sure ? { kind: 'function', body: node.body } : { kind: 'maybe', what: 'a function that is defined only under a condition' });
    // Its body is read where it is called; what it may define there is noted then.
  }

  function walkCommand(node: Command, here: Here): void {
    for (const child of [node.name, ...node.prefix, ...node.suffix]) if (child !== undefined) walkNested(child, here);
    const words = commandWords(node);
    const redirected = stdinOf(node);
    if (words.length > 0) invocations.invoke(words, redirected === undefined ? here : { ...here, stdin: redirected }, 'all');
  }

  /** Walks the scripts inside words: they run before the command that they belong to. */
  function walkNested(node: SyntaxNode, here: Here): void {
    if (node.type === 'Script') {
      return walkStatements(node.commands, inSubshell({ ...here, place: withoutStatus(here.place), stdin: NO_STDIN, pipelined: false }));
    }
    if ((node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') && node.script === undefined) {
      collected.mayRun({ reason: `\`${shorten(node.text)}\` is nested too deeply to be read` });
    }
    if (mayFail(node, here.state.nounset)) mayEnd(here.state, 'failing');
    const branches = node.type === 'ArithmeticBinary' || node.type === 'ArithmeticTernary' || node.type === 'TestLogical' || node.type === 'Default';
    forEachChild(node, (child) => walkNested(child, branches ? { ...here, place: CONDITIONAL } : here));
  }
}

// An expansion that fails ends the shell. Sums and products of names are taken to succeed.
function mayFail(node: SyntaxNode, nounset: boolean): boolean {
  switch (node.type) {
    case 'Default':
      return node.operator.endsWith('?');
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return nounset;
    case 'ArithmeticExpansion':
      return nounset || /[/%$`]/.test(node.text.slice(3));
    default:
      return false;
  }
}

function negated(node: Pipeline): boolean {
  return node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
}

// With `set -e`, these do not end the shell.
function isHarmless({ command }: Statement): boolean {
  return command.type === 'Function' || (command.type === 'Command' && ['set', ':', 'true'].includes(command.name?.text ?? ''));
}

function neverEnds({ commands }: CompoundList): boolean {
  const command = commands.length === 1 ? commands[0]?.command : undefined;
  if (command?.type !== 'Command') return false;
  return ['true', ':', 'false', '['].includes(command.name?.text ?? '') && command.suffix.every((word) => word.type !== 'Word' || !/[$`]/.test(word.text));
}
