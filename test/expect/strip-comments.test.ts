import { expect, test } from 'vitest';
import { stripComments } from '../../src/expect/strip-comments.js';

test.each<[string, string, string]>([
  ['a line comment up to its end', 'a; // b\nc;', 'a; \nc;'],
  ['a line comment at the end of the text', 'a; // b', 'a; '],
  ['a block comment, which leaves a space', 'a/* b */c', 'a c'],
  ['a block comment over lines, which leaves its line breaks', 'a/* b\nc\n*/d', 'a\n\nd'],
  ['a documentation comment', '/** A. */\nexport const a = 1;', ' \nexport const a = 1;'],
  ['a comment inside a comment', '/* a // b */ c // d /* e\nf', '  c \nf'],
  ['a hashbang', '#!/usr/bin/env node\na();', '\na();'],
  ['nothing of a string in double quotes', '"// a" + "/* b */"', '"// a" + "/* b */"'],
  ['nothing of a string in single quotes', "'// a \\' // b'", "'// a \\' // b'"],
  ['nothing of a template', '`// a ${b} /* c */`', '`// a ${b} /* c */`'],
  ['a comment inside the braces of a template', '`x ${ /* a */ b } y`', '`x ${   b } y`'],
  ['nothing of a template inside a template', '`a ${`// b ${c}`} // d`', '`a ${`// b ${c}`} // d`'],
  ['nothing of a regular expression', 'x = /\\/\\/ a/; y = /[/*]/g;', 'x = /\\/\\/ a/; y = /[/*]/g;'],
  ['a comment behind a division', 'x = a / b; // c / d', 'x = a / b; '],
  ['a comment behind a regular expression', 'x.replace(/"/g, ""); // "a"', 'x.replace(/"/g, ""); '],
  ['nothing of the text of JSX', 'const a = <p>https://a.com // b</p>;', 'const a = <p>https://a.com // b</p>;'],
  ['a comment in the braces of JSX', 'const a = <p>{/* b */}</p>;', 'const a = <p>{ }</p>;'],
  ['a comment behind JSX', 'const a = <p title="// b">c</p>; // d', 'const a = <p title="// b">c</p>; '],
  ['nothing where there is none', 'const a: Map<string, number[]> = new Map();', 'const a: Map<string, number[]> = new Map();'],
  ['a comment behind a text that is not closed', 'a = "b\n// c\nd', 'a = "b\n\nd'],
  ['a comment that is not closed', 'a /* b', 'a  '],
  ['nothing of an empty text', '', ''],
])('takes out %s', (_what, source, code) => {
  expect(stripComments(source)).toBe(code);
});
