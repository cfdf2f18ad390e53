import { DOMParser, type Element as XmlElement } from '@xmldom/xmldom';
import { SaxesParser } from 'saxes';

/** An element as both readers must see it. Blank text between elements is left out. */
export interface ReadElement {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  readonly text: string;
  readonly children: readonly ReadElement[];
}

/** Reads XML with a strict streaming parser. Throws when it is not well-formed. */
export function readBySaxes(xml: string): ReadElement {
  const roots: ReadElement[] = [];
  const open: { name: string; attributes: { [name: string]: string }; text: string; children: ReadElement[] }[] = [];
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', (error) => { throw error; });
  parser.on('opentag', (tag) => { open.push({ name: tag.name, attributes: { ...tag.attributes }, text: '', children: [] }); });
  parser.on('text', (text) => { const last = open.at(-1); if (last !== undefined) last.text += text; });
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed !== undefined) (open.at(-1)?.children ?? roots).push(trimmed(closed));
  });
  parser.write(xml).close();
  const [root] = roots;
  if (root === undefined) throw new Error('no root');
  return root;
}

/** Reads XML into a document. Throws on any complaint, warnings too. */
export function readByXmldom(xml: string): ReadElement {
  const parser = new DOMParser({ onError: (_level, message) => { throw new Error(message); } });
  const root = parser.parseFromString(xml, 'text/xml').documentElement;
  if (root === null) throw new Error('no root');
  return elementOf(root);
}

function elementOf(element: XmlElement): ReadElement {
  const nodes = [...element.childNodes];
  return trimmed({
    name: element.tagName,
    attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
    text: nodes.filter(({ nodeType }) => nodeType === 3).map(({ nodeValue }) => nodeValue ?? '').join(''),
    children: nodes.filter(({ nodeType }) => nodeType === 1).map((node) => elementOf(node as XmlElement)),
  });
}

function trimmed(element: ReadElement): ReadElement {
  return element.text.trim() === '' ? { ...element, text: '' } : element;
}

interface Rule {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly children: readonly string[];
  readonly text: boolean;
}

const outcomeRule: Rule = { required: [], optional: ['type', 'message'], children: [], text: true };

// What junit-10.xsd of the Jenkins xUnit plugin asks for, and of what it allows, what is used here.
const RULES: { readonly [element: string]: Rule } = {
  testsuites: { required: [], optional: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'], text: false },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['group', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
    text: false,
  },
  properties: { required: [], optional: [], children: ['property'], text: false },
  property: { required: ['name', 'value'], optional: [], children: [], text: false },
  testcase: { required: ['name'], optional: ['time', 'classname', 'group'], children: ['skipped', 'error', 'failure', 'system-out', 'system-err'], text: false },
  skipped: outcomeRule,
  error: outcomeRule,
  failure: outcomeRule,
  'system-out': { required: [], optional: [], children: [], text: true },
};

/** What of an element and all below it does not conform. */
export function schemaProblems(element: ReadElement): readonly string[] {
  const rule = RULES[element.name];
  if (rule === undefined) return [`<${element.name}> is unknown`];
  const names = Object.keys(element.attributes);
  const time = element.attributes['time'];
  return [
    ...rule.required.filter((name) => !names.includes(name)).map((name) => `<${element.name}> lacks ${name}`),
    ...names.filter((name) => ![...rule.required, ...rule.optional].includes(name)).map((name) => `<${element.name}> has ${name}`),
    ...element.children.filter(({ name }) => !rule.children.includes(name)).map(({ name }) => `<${element.name}> contains <${name}>`),
    ...(element.text === '' || rule.text ? [] : [`<${element.name}> contains text`]),
    ...(time === undefined || /^[0-9]*(\.[0-9]*)?$/.test(time) ? [] : [`<${element.name}> takes ${time}`]),
    ...element.children.flatMap(schemaProblems),
  ];
}
