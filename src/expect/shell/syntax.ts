import { forEachChild, type ParseError, type ParsedScript, type SyntaxNode } from 'unbash';

/** The first error of a script or of the scripts inside its words. One inside words counts from where its statement starts: a shell reads that as a whole. */
export function errorOf(script: ParsedScript): ParseError | undefined {
  const own = script.errors?.reduce((first, error) => (error.pos < first.pos ? error : first));
  for (const statement of script.commands) {
    if (own !== undefined && statement.pos >= own.pos) break;
    const inner = innerErrorOf(statement);
    if (inner !== undefined) return own !== undefined && own.pos < statement.pos ? own : { message: inner.message, pos: statement.pos };
  }
  return own;
}

function innerErrorOf(node: SyntaxNode): ParseError | undefined {
  const [error] = node.type === 'Script' ? node.errors ?? [] : [];
  if (error !== undefined) return error;
  let found: ParseError | undefined;
  forEachChild(node, (child) => { found ??= innerErrorOf(child); });
  return found;
}
