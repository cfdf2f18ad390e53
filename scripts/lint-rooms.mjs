// Checks the layout that rooms.json states: which room may import which, and which npm packages; that doors
// (index.ts) only re-export and are not imported inside src, except by the module loader; that one CLI's folder never
// imports another's; that nothing works with a conformance suite, which is for tests; and that no file is longer than
// 400 lines.
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = JSON.parse(readFileSync(join(root, 'rooms.json'), 'utf8'));
const LONGEST_FILE = 400;
const builtin = new Set(builtinModules);
const problems = [];

for (const file of globSync('src/**/*.ts', { cwd: root, absolute: true }).sort()) {
  const text = readFileSync(file, 'utf8');
  const [room, folder] = placeOf(file);
  const tell = (problem) => problems.push(`${relative(root, file)}: ${problem}`);
  const lines = text.split('\n').length;
  if (lines > LONGEST_FILE) tell(`has ${lines} lines; ${LONGEST_FILE} is the most`);
  if (room !== 'door' && rooms[room] === undefined) {
    tell(`is in "${room}", which is no room of rooms.json`);
    continue;
  }
  if (file.endsWith(`${sep}index.ts`)) checkDoor(text, tell);
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (fileName.startsWith('.')) checkInside(file, room, folder, fileName, tell);
    else checkPackage(room, fileName, tell);
  }
}

function checkDoor(text, tell) {
  const source = ts.createSourceFile('index.ts', text, ts.ScriptTarget.ES2022);
  if (!source.statements.every((statement) => ts.isExportDeclaration(statement))) tell('is a door: it may only re-export');
}

function checkInside(file, room, folder, name, tell) {
  const target = join(dirname(file), name);
  const [targetRoom, targetFolder] = placeOf(target);
  const isDoor = target.endsWith(`${sep}index.js`);
  if (isDoor && !(room === 'plan' && file.endsWith('load.ts'))) tell(`imports the door ${name}; import the file that declares the name`);
  if (room === 'door' || targetRoom === 'door') return;
  if (targetFolder === 'conformance' && folder !== 'conformance') tell(`imports ${name} of a conformance suite, which is for tests`);
  if (targetRoom === room) {
    if (room === 'agents' && folder !== '' && targetFolder !== '' && folder !== targetFolder) tell(`imports ${name} of another CLI`);
  } else if (!rooms[room].imports.includes(targetRoom)) {
    tell(`imports ${name}: the room "${room}" may not import "${targetRoom}"`);
  }
}

function checkPackage(room, name, tell) {
  const bare = name.replace(/^node:/, '');
  if (name.startsWith('node:') || builtin.has(bare)) return;
  const parts = name.split('/');
  const packageName = name.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
  if (room !== 'door' && !rooms[room].packages.includes(packageName)) tell(`imports the package "${packageName}", which is not one of its room's`);
}

/** The room and the folder below it; `door` for src/index.ts. */
function placeOf(file) {
  const parts = relative(join(root, 'src'), file).split(sep);
  return parts.length === 1 ? ['door', ''] : [parts[0], parts.length > 2 ? parts[1] : ''];
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`rooms: ${Object.keys(rooms).length} rooms keep to rooms.json`);
