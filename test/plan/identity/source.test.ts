import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sourceFactsOf } from '../../../src/plan/identity/source.js';

const of = (text: string, file = 'a.ts'): ReturnType<typeof sourceFactsOf> => sourceFactsOf(file, Buffer.from(text));
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('what a module imports', () => {
  test.each<[string, string, readonly string[], string?]>([
    ['by every kind of import', "import './a';\nimport b from 'b';\nimport * as c from './c.js';\nimport type { D } from './d';\nexport { e } from './e';\nexport * from './f';\nexport * as g from './g';\nimport h = require('./h');\n", ['./a', 'b', './c.js', './d', './e', './f', './g', './h']],
    ['later, by a literal', "const a = async () => [await import('./a'), await import(`./b`), require('./c')];", ['./a', './b', './c']],
    ['where nothing else says that it is a module', "const a = await import('./a');\n", ['./a']],
    ['whatever it is called', "import 'unknown';\n", ['unknown']],
    ['each once', "import './a';\nexport * from './a';\n", ['./a']],
    ['not in a comment, a text or a call of something else', "// import './a'\nconst t = \"import './b'\";\nrequire.resolve('./c');\nexport const d = () => t;\nexport { t };\n", []],
    ['beside syntax of TypeScript', "import { a } from './a';\nenum E { A }\nfunction f<T>(x: T): asserts x is T & {} {}\nconst x = <const T,>(y: T) => y satisfies T;\n@dec class C { constructor(private y = 1) {} accessor z!: number }\nasync function g() { await using q = a!; }\nnamespace N { export const n = 1; }\n", ['./a']],
    ['beside elements', "import { a } from './a';\nexport const b = <A x={1}>text</A>;\n", ['./a'], 'a.tsx'],
    ['in plain JavaScript', "const a = require('./a');\nmodule.exports = { a };\nif (a) return;\n", ['./a'], 'a.cjs'],
    ['never, when it is data', '{"a": "import"}', [], 'a.json'],
  ])('%s', (_what, text, specifiers, file) => {
    expect(of(text, file)).toEqual({ sha256: sha256(text), definitionSha256: sha256(text), specifiers });
  });

  test.each(['import(name)', 'import(`./${name}`)', 'require(name)'])('is not known for %s', (call) => {
    expect(of(`const name = 'a';\nexport const x = () => ${call};\n`).unknown).toBe('it imports a module whose name is only known at run time');
  });

  test('is not known for what no parser reads', () => {
    expect(of('const = = "').unknown).toBe('its imports cannot be read');
  });
});

describe('the text of a definition', () => {
  const digest = (fields: string): string => of(`import { defineExperiment } from 'niceeval';\nexport default defineExperiment({${fields}});\n`).definitionSha256;
  const plain = digest(' agent, model: "m" ');

  test.each([
    ' labels: { a: 1, "b": `x` }, agent, model: "m" ', '\n  agent,\n  labels: LABELS,\n  model: "m",\n', ' agent, model: "m", "timeoutMs": 10 * 60_000 ', ' attempts, agent, model: "m" ',
    ' agent, evals({ id }) { return id === "a"; }, model: "m" ', ' agent, model: "m", description: ("x" as string) ',
  ])('does not have {%s}', (fields) => {
    expect(digest(fields)).toBe(plain);
  });

  test.each([
    ' agent, model: "n" ', ' model: "m", agent ', ' agent, /* why */ model: "m" ', ' agent, model: "m", labels: { a: sideEffect() } ', ' agent, model: "m", ["labels"]: 1 ', ' agent, model: "m", ...more ',
    ' agent, model: "m", flags: { attempts: 1 } ', ' agent, model: "m", tags: [] ', ' agent, model: "m", labels() {} ', ' agentmodel: "m" ',
  ])('has {%s}', (fields) => {
    expect(digest(fields)).not.toBe(plain);
  });

  test('is the same for each of many in one file', () => {
    const many = (first: string, second: string): string => of(`export default { a: defineExperiment({ agent${first} }), b: n.defineExperiment({ agent${second} }) };`).definitionSha256;
    expect(many(', attempts: 1', ', attempts: 2')).toBe(many('', ''));
    expect(many(', model: "m"', '')).not.toBe(many('', ', model: "m"'));
  });
});
