import { createHash } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadJson } from '../../../src/define/loaders/load-json.js';
import { discoverProject } from '../../../src/plan/discover.js';
import { AuthoringError } from '../../../src/plan/errors.js';
import { writeProject } from '../../plan/project.js';

const ZOD = JSON.stringify(fileURLToPath(import.meta.resolve('zod')));
const IMPORTS = "import { defineEval } from 'niceeval';\nimport { loadCsv, loadJson, loadJsonLines, loadText, loadYaml } from 'niceeval/loaders';\n";
const as = '(value: unknown) => value as never';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a call gives in the eval `evals/x/a.eval.ts`. */
async function loaded(call: string, files: Readonly<Record<string, string>>, imports = ''): Promise<unknown> {
  await using project = await writeProject({ ...files, 'evals/x/a.eval.ts': `${IMPORTS}${imports}const data: unknown = ${call};\nexport default defineEval({ metadata: { data } as never, test() {} });\n` });
  return (await discoverProject(project.root)).evals[0]?.definition.metadata?.data;
}

/** The only problem of such an eval, without its name. */
async function problemOf(call: string, files: Readonly<Record<string, string>>, imports = ''): Promise<string> {
  try {
    await loaded(call, files, imports);
  } catch (error) {
    if (error instanceof AuthoringError && error.problems.length === 1) return error.problems[0]?.replace('evals/x/a.eval.ts: ', '') ?? '';
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('a loader gives the data of a file', () => {
  test.each<[string, string, string, unknown]>([
    ['JSON', `loadJson('d', ${as})`, '\ufeff{"a": [1, null]}', { a: [1, null] }],
    ['JSON Lines, blank lines passed over', `loadJsonLines('d', ${as})`, '{"a":1}\r\n\n[2]\n', [{ a: 1 }, [2]]],
    ['no line at all', `loadJsonLines('d', ${as})`, '', []],
    ['YAML', `loadYaml('d', ${as})`, 'a:\n  - 1\n  - no\nb: &x {c: 2}\nd: *x\n', { a: [1, 'no'], b: { c: 2 }, d: { c: 2 } }],
    ['a text', "loadText('d')", 'Fix the sum.\r\n', 'Fix the sum.\r\n'],
    // The examples of RFC 4180, section 2: CRLF, no break at the end, quoted fields with breaks, commas and quotes.
    ['CSV', `loadCsv('d', ${as})`, 'a,b,c\r\naaa,"b\r\nbb",ccc\r\n"x,y","say ""hi""",', [{ a: 'aaa', b: 'b\r\nbb', c: 'ccc' }, { a: 'x,y', b: 'say "hi"', c: '' }]],
    ['CSV with a byte order mark, spaces kept', `loadCsv('d', ${as})`, '\ufeffid,name\n1, Ada \n\n', [{ id: '1', name: ' Ada ' }]],
    ['CSV without rows', `loadCsv('d', ${as})`, 'id,name\n', []],
  ])('%s', async (_what, call, text, value) => {
    expect(await loaded(call, { d: text })).toEqual(value);
  });

  test('as the decoder gives it', async () => {
    expect(await loaded("loadCsv('d', (row) => Number((row as { n: string }).n) * 2)", { d: 'n\n1\n2\n' })).toEqual([2, 4]);
    expect(await loaded("loadJson('d', z.object({ n: z.string().transform(Number) }))", { d: '{"n":"7"}' }, `import { z } from ${ZOD};\n`)).toEqual({ n: 7 });
  });

  test('by a path from the root of the project, or by a URL beside the module', async () => {
    expect(await loaded("loadText('data/d')", { 'data/d': 'root' })).toBe('root');
    expect(await loaded("loadText(new URL('./d', import.meta.url))", { 'evals/x/d': 'beside' })).toBe('beside');
  });
});

describe('a loader refuses, and says which file and where', () => {
  const zod = `import { z } from ${ZOD};\n`;
  test.each<[string, string, string, string, string?]>([
    ['what is no JSON', `loadJson('d', ${as})`, '{', 'loadJson("d") is no JSON: Expected property name or \'}\' in JSON at position 1'],
    ['a line that is no JSON', `loadJsonLines('d', ${as})`, '1\n\n{\n', 'loadJsonLines("d"): line 3 is no JSON: Expected property name or \'}\' in JSON at position 1'],
    ['a line that does not fit', "loadJsonLines('d', z.object({ a: z.number() }))", '{"a":1}\n{"a":"x"}\n', 'loadJsonLines("d"): line 2: at "a": Invalid input: expected number, received string', zod],
    ['data that does not fit a schema', "loadJson('d', z.array(z.object({ a: z.number() })))", '[{"a":1},{"a":"x"},{}]', 'loadJson("d"): at "1.a": Invalid input: expected number, received string (and 1 more)', zod],
    ['data as a whole that does not fit', "loadJson('d', z.array(z.number()))", '1', 'loadJson("d"): at the top: Invalid input: expected array, received number', zod],
    ['a schema that takes its time', "loadJson('d', z.number().refine(async () => true))", '1', 'loadJson("d"): the decoder answered a promise. It must answer at once.', zod],
    ['a decoder that throws', "loadYaml('d', () => { throw new Error('no\\n cases'); })", 'a: 1', 'loadYaml("d"): the decoder refused the data: no cases'],
    ['a decoder that takes its time', "loadJson('d', async (value) => value)", '1', 'loadJson("d"): the decoder answered a promise. It must answer at once.'],
    ['no decoder', "(loadJson as any)('d')", '1', 'loadJson needs a decoder: a function that checks the data and returns it, or a schema, for instance z.object({ ... }) of zod.'],
    ['YAML that is cut', `loadYaml('d', ${as})`, 'a: 1\na: 2\n', 'loadYaml("d") cannot be read: Map keys must be unique at line 2, column 1'],
    ['a tag that nobody knows', `loadYaml('d', ${as})`, 'x: !foo 1\n', 'loadYaml("d") cannot be read: Unresolved tag: !foo at line 1, column 4'],
    ['a row with too many fields', `loadCsv('d', ${as})`, 'a,b\n1,2\n1,2,3\n', 'loadCsv("d") cannot be read: Invalid Record Length: columns length is 2, got 3 on line 3'],
    ['a quote that stays open', `loadCsv('d', ${as})`, 'a,b\n1,"2\n', 'loadCsv("d") cannot be read: Quote Not Closed: the parsing is finished with an opening quote at line 2'],
    ['two columns of one name', `loadCsv('d', ${as})`, 'a,a\n1,2\n', 'loadCsv("d"): the first row has the column "a", which comes twice or cannot be a name.'],
    ['CSV without a first row', `loadCsv('d', ${as})`, '\n', 'loadCsv("d"): the first row, which names the columns, is missing.'],
    ['a row that does not fit, by the line where it begins', "loadCsv('d', z.object({ b: z.string().max(3) }))", 'a,b\n"1\n\n1",2\n\n"x\ny",long\n', 'loadCsv("d"): line 6: at "b": Too big: expected string to have <=3 characters', zod],
    ['a file that is not there', "loadText('e')", '', 'loadText("e"): there is no such file. A path is relative to the project\'s root; write `new URL("./file", import.meta.url)` for one beside the module.'],
    ['a folder', "loadText('evals')", '', 'loadText("evals"): the file cannot be read: EISDIR: illegal operation on a directory, read.'],
    ['an absolute path', "loadText('/etc/hostname')", '', 'loadText("/etc/hostname"): The path must be relative to the project\'s root, or `new URL("./file", import.meta.url)`.'],
    ['a URL of another kind', "loadText(new URL('https://example.com/d'))", '', 'loadText("https://example.com/d"): The path must be relative to the project\'s root, or `new URL("./file", import.meta.url)`, and that is no file.'],
  ])('%s', async (_what, call, text, problem, imports = '') => {
    expect(await problemOf(call, { d: text }, imports)).toBe(problem);
  });

  test('bytes that are no UTF-8', async () => {
    await using project = await writeProject({ 'evals/a.eval.ts': `${IMPORTS}loadText('d');\nexport default defineEval({ test() {} });\n` });
    await writeFile(join(project.root, 'd'), Uint8Array.of(0xff, 0xfe, 0x41));
    await expect(discoverProject(project.root)).rejects.toThrow('evals/a.eval.ts: loadText("d"): the file is no UTF-8 text. Save it as UTF-8.');
  });

  test('what lies outside the project, also behind a link', async () => {
    await using outside = await writeProject({ secret: 'secret' });
    for (const path of [`../${outside.root.split('/').at(-1)}/secret`, 'link', 'folder/secret']) {
      await using project = await writeProject({ 'evals/a.eval.ts': `${IMPORTS}loadText('${path}');\nexport default defineEval({ test() {} });\n` });
      await symlink(join(outside.root, 'secret'), join(project.root, 'link'));
      await symlink(outside.root, join(project.root, 'folder'));
      await expect(discoverProject(project.root)).rejects.toThrow(`evals/a.eval.ts: loadText("${path}"): the file lies outside the project "${project.root}". Copy it into the project.`);
    }
  });
});

describe('a loader works only while modules are loaded', () => {
  const message = 'loadJson("d") works only while niceeval loads the module, at its top level. Load the data there and use it in `test`.';

  test('not outside of niceeval', () => {
    expect(() => loadJson('d', Number)).toThrow(message);
  });

  test('not in a test, nor in a timer that a module started', async () => {
    await using project = await writeProject({
      d: '1',
      'evals/a.eval.ts': `${IMPORTS}export const later = new Promise((done) => { setTimeout(() => { try { done(loadJson('d', ${as})); } catch (error) { done(String(error)); } }, 50); });\n`
        + `export default defineEval({ metadata: {}, async test(t) { (t as any).told(await later); loadJson('d', ${as}); } });\n`,
    });
    const found = await discoverProject(project.root);
    const told: unknown[] = [];
    const { test: body } = found.evals[0]?.definition as { readonly test: (t: unknown) => Promise<void> };
    await expect(body({ told: (line: unknown) => told.push(line) })).rejects.toThrow(message);
    expect(told).toEqual([`DefinitionError: ${message}`]);
  });
});

test('every file that was read is an input of the module whose top level read it', async () => {
  await using project = await writeProject({
    a: 'A', b: 'B', c: 'C', 'e f': 'E',
    'evals/helper.ts': `${IMPORTS}export const shared = loadText('c');\nexport function named(path: string) { return loadText(path); }\n`,
    'evals/a.eval.ts': `${IMPORTS}import { named } from './helper.js';\nnamed('a');\nloadText('e f');\nexport default defineEval({ test() {} });\n`,
    'evals/b.eval.ts': `${IMPORTS}import { named } from './helper.js';\n['b'].map((path) => named(path));\nexport default defineEval({ test() {} });\n`,
  });
  const at = (name: string): string => join(project.root, 'evals', name);
  expect((await discoverProject(project.root)).inputs).toEqual([
    { path: 'c', sha256: sha256('C'), module: at('helper.ts') },
    { path: 'a', sha256: sha256('A'), module: at('a.eval.ts') },
    { path: 'e f', sha256: sha256('E'), module: at('a.eval.ts') },
    { path: 'b', sha256: sha256('B'), module: at('b.eval.ts') },
  ]);
});
