import { parse, type ParserPlugin } from '@babel/parser';
import { sha256 } from './canonical-json.js';

/** What the text of a module says of what it depends on. */
export interface SourceFacts {
  /** Of its bytes. */
  readonly sha256: string;
  /**
   * The same without what only says how often, how long and for whom a definition runs. That of the bytes where no such thing is
   * said.
   */
  readonly definitionSha256: string;
  /** What it imports by a literal, each once. */
  readonly specifiers: readonly string[];
  /** Why there may be more. Absent: there is not. */
  readonly unknown?: string;
}

interface Node { readonly type: string; readonly start: number; readonly end: number; readonly [field: string]: unknown }

/** Fields that change what is run, and how it is told, but no outcome. By the factory whose argument has them. */
const LEFT_OUT: Readonly<Record<string, ReadonlySet<string>>> = {
  defineEval: new Set(['description', 'tags', 'timeoutMs']),
  defineScoreEval: new Set(['description', 'tags', 'timeoutMs']),
  defineExperiment: new Set(['description', 'labels', 'evals', 'attempts', 'timeoutMs', 'maxConcurrency', 'budget', 'earlyExit', 'retries']),
};
/** What does nothing but give a value; types do not even that. */
const PLAIN = new Set([
  'StringLiteral', 'NumericLiteral', 'BooleanLiteral', 'NullLiteral', 'TemplateLiteral', 'TemplateElement', 'ArrayExpression', 'ObjectExpression', 'ObjectProperty',
  'UnaryExpression', 'BinaryExpression', 'Identifier',
]);

/** Reads a module of JavaScript or TypeScript. Never throws. @param file Only its ending counts. */
export function sourceFactsOf(file: string, bytes: Uint8Array): SourceFacts {
  const own = sha256(bytes);
  if (!/\.[cm]?[jt]sx?$/.test(file)) return { sha256: own, definitionSha256: own, specifiers: [] };
  const text = Buffer.from(bytes).toString('utf8');
  let program: Node;
  try {
    program = parse(text, { sourceType: 'unambiguous', errorRecovery: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true, createImportExpressions: true, plugins: pluginsOf(file) }).program as unknown as Node;
  } catch {
    return { sha256: own, definitionSha256: own, specifiers: [], unknown: 'its imports cannot be read' };
  }
  const specifiers = new Set<string>();
  const cuts: Node[] = [];
  let isOpen = false;
  visit(program, (node) => {
    const asked = importedBy(node);
    if (asked === null) isOpen = true;
    else if (asked !== undefined) specifiers.add(asked);
    const options = definitionArgument(node);
    if (options !== undefined) cuts.push(options);
  });
  return {
    sha256: own,
    definitionSha256: cuts.length === 0 ? own : sha256(withoutSchedule(text, cuts)),
    specifiers: [...specifiers],
    ...(isOpen ? { unknown: 'it imports a module whose name is only known at run time' } : {}),
  };
}

function pluginsOf(file: string): ParserPlugin[] {
  // `<T>value` is a cast in these and would be an element in the others.
  return ['typescript', 'decorators-legacy', 'decoratorAutoAccessors', 'explicitResourceManagement', ...(/\.[cm]?ts$/.test(file) ? [] : ['jsx' as const])];
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see);
  } else if (isNode(node)) {
    see(node);
    for (const [field, value] of Object.entries(node)) if (typeof value === 'object' && field !== 'loc') visit(value, see);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';
}

/** What a node imports. `null`: something, by a name that is not there. */
function importedBy(node: Node): string | null | undefined {
  switch (node.type) {
    case 'ImportDeclaration': case 'ExportAllDeclaration': case 'ExportNamedDeclaration': return literalOf(node.source);
    case 'TSExternalModuleReference': return literalOf(node.expression);
    case 'ImportExpression': return literalOf(node.source) ?? null;
    case 'CallExpression': {
      const [first, ...more] = node.arguments as readonly unknown[];
      return nameOf(node.callee) === 'require' && more.length === 0 ? literalOf(first) ?? null : undefined;
    }
    default: return undefined;
  }
}

function literalOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'StringLiteral') return node.value as string;
  const [only, ...more] = node.type === 'TemplateLiteral' ? node.quasis as readonly { readonly value: { readonly cooked: string } }[] : [];
  return more.length === 0 ? only?.value.cooked : undefined;
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === 'Identifier' ? node.name as string : node.type === 'MemberExpression' && node.computed === false ? nameOf(node.property) : undefined;
}

/** The call, where it defines something by an object that is written there. */
function definitionArgument(node: Node): Node | undefined {
  const [options] = node.type === 'CallExpression' ? node.arguments as readonly unknown[] : [];
  return Object.hasOwn(LEFT_OUT, nameOf(node.callee) ?? '') && isNode(options) && options.type === 'ObjectExpression' ? node : undefined;
}

/**
 * The text without the fields that are left out. Space and commas between fields do not count where one may have been: a field that
 * comes or goes leaves no trace.
 */
function withoutSchedule(text: string, calls: readonly Node[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const call of [...calls].sort((a, b) => a.start - b.start)) {
    const [options] = call.arguments as readonly [Node];
    // A definition inside another one is a part of that one's text.
    if (options.start < done) continue;
    pieces.push(text.slice(done, options.start));
    done = options.start;
    const gap = (end: number): string => text.slice(done, end).replace(/[\s,]+/g, '');
    for (const property of options.properties as readonly Node[]) {
      pieces.push(gap(property.start));
      if (!isLeftOut(property, nameOf(call.callee) ?? '')) pieces.push(`${text.slice(property.start, property.end)},`);
      done = property.end;
    }
    pieces.push(gap(options.end));
    done = options.end;
  }
  return [...pieces, text.slice(done)].join('');
}

function isLeftOut(property: Node, factory: string): boolean {
  if (property.computed === true || !isNode(property.key)) return false;
  const key = property.key.type === 'StringLiteral' ? property.key.value as string : nameOf(property.key) ?? '';
  if (LEFT_OUT[factory]?.has(key) !== true) return false;
  return property.type === 'ObjectMethod' ? key === 'evals' : isPlain(property.value) || (key === 'evals' && /Function/.test((property.value as Node).type));
}

function isPlain(value: unknown): boolean {
  let plain = true;
  visit(value, ({ type }) => { plain &&= PLAIN.has(type) || type.startsWith('TS'); });
  return plain;
}
