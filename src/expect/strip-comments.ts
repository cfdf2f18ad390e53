import jsTokens from 'js-tokens';

const COMMENTS = new Set(['SingleLineComment', 'MultiLineComment', 'HashbangComment']);

/**
 * The text of a JavaScript or TypeScript file (JSX too) without its comments; strings, templates and regular expressions
 * keep what looks like one. A block comment leaves a space, or its line breaks. Never throws; what is not JavaScript comes
 * back as far as it can be read.
 */
export function stripComments(source: string): string {
  let code = '';
  for (const { type, value } of jsTokens(source, { jsx: true })) {
    if (!COMMENTS.has(type)) code += value;
    else if (type === 'MultiLineComment') code += value.replace(/[^\r\n\u2028\u2029]+/g, '') || ' ';
  }
  return code;
}
