#!/usr/bin/env node
// Turns a captured run of a real CLI into a fixture: trimmed, and nothing edited by hand.
//
//   node scripts/record-fixture.mjs claude-code <capture folder> [--run N] [--name case-name]
//   node scripts/record-fixture.mjs codex <capture folder> [--run N] [--name case-name]
//
// --scrub FROM=TO, repeatable, renames a folder of the machine that the capture was made on. Give TO the length of FROM:
// some texts of the CLIs are cut at a length.
//
// A Claude Code capture has run-N/{cmd.json,stdout.jsonl,stderr.txt,exit.json} and projects/. A Codex capture has
// command.txt, [runN.]stdout.jsonl, [runN.]stderr.txt, [runN.]exit.txt and rollout/, or server-to-client.jsonl.
// Written to fixtures/agents/<cli>/<version>/<case>/: input.jsonl, stderr.txt, exit.json, sessions/ or rollouts/, source.md.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const LONGEST_STRING = 700;
// Lists and texts of the vendor's own, which no parser reads.
const VENDOR_LISTS = new Set(['tools', 'slash_commands', 'skills', 'agents', 'plugins', 'names', 'addedTypes', 'addedLines', 'replacement_history', 'replacement_history_metadata', 'retained_context']);
const VENDOR_OBJECTS = new Set(['base_instructions', 'state', 'resume_metadata', 'latest_token_usage_record', 'permission_profile', 'sandbox_policy', 'file_system_sandbox_policy', 'thread_settings', 'collaboration_mode', 'memory_paths', 'metadata', 'rate_limits', 'rateLimits']);

const { positionals, values } = parseArgs({ allowPositionals: true, options: { run: { type: 'string' }, name: { type: 'string' }, scrub: { type: 'string', multiple: true } } });
const [cli, capture] = positionals;
if (!['claude-code', 'codex'].includes(cli) || capture === undefined || !existsSync(capture)) {
  console.error('usage: node scripts/record-fixture.mjs claude-code|codex <capture folder> [--run N] [--name case-name]');
  process.exit(2);
}

const cuts = new Set();
const recorded = cli === 'claude-code' ? claudeCode() : codex();
const target = join('fixtures', 'agents', cli, recorded.version, values.name ?? basename(capture).replaceAll('_', '-'));
// What a person wrote down as the right reading of this capture stays.
const expected = existsSync(join(target, 'expected.json')) ? readFileSync(join(target, 'expected.json')) : undefined;
rmSync(target, { recursive: true, force: true });
for (const [path, content] of recorded.files) {
  mkdirSync(dirname(join(target, scrub(path))), { recursive: true });
  writeFileSync(join(target, scrub(path)), scrub(content));
}
writeFileSync(join(target, 'source.md'), scrub([
  `# ${basename(target)}`, '',
  `${recorded.about}`, '',
  `Recorded from ${cli} ${recorded.version}, ${recorded.date}, against a scripted model server:`, '',
  '```', recorded.command, '```', '',
  cuts.size === 0 ? 'Nothing was cut.' : `Cut: ${[...cuts].sort().join('; ')}.`,
  ...(recorded.truth.length === 0 ? [] : ['', ...recorded.truth]), '',
].join('\n')));
if (expected !== undefined) writeFileSync(join(target, 'expected.json'), expected);
console.log(target);

/** Folders of the capture's machine under other names, also with dashes for slashes, as Claude Code names its folders. latin1 keeps every byte. */
function scrub(content) {
  const text = typeof content === 'string' ? content : content.toString('latin1');
  const clean = (values.scrub ?? []).map((pair) => pair.split('=')).reduce(
    (rest, [from, to]) => rest.replaceAll(from, to).replaceAll(from.replaceAll('/', '-'), to.replaceAll('/', '-')),
    text,
  );
  return typeof content === 'string' ? clean : Buffer.from(clean, 'latin1');
}

function claudeCode() {
  const run = `run-${values.run ?? '1'}`;
  const cmd = JSON.parse(read(join(run, 'cmd.json')));
  const exit = JSON.parse(read(join(run, 'exit.json')));
  const scenario = existsSync(join(capture, 'scenario.json')) ? JSON.parse(read('scenario.json')) : {};
  const stdout = bytes(join(run, 'stdout.jsonl'));
  const files = [
    ...printed(join(run, 'stdout.jsonl'), stdout),
    ['exit.json', `${JSON.stringify({ exitCode: exit.code, ...(exit.signal ? { signal: exit.signal } : {}) })}\n`],
    ...optional('stderr.txt', join(run, 'stderr.txt')),
    ...tree(join(capture, 'projects')).map((path) => [join('sessions', relative(join(capture, 'projects'), path)), path.endsWith('.jsonl') ? trimLines(readFileSync(path)) : cutText(readFileSync(path))]),
  ];
  const init = firstJson(stdout, (line) => line.subtype === 'init') ?? {};
  return {
    files,
    version: init.claude_code_version ?? '2.1.197',
    about: scenario.about ?? 'A run of Claude Code.',
    date: dateOf(stdout) ?? '2026-11-30',
    command: cmd.argv.map((word) => JSON.stringify(word)).join(' '),
    truth: servedBy(),
  };
}

/** What the model server billed, when the capture's notes say so. */
function servedBy() {
  const notes = join(capture, '..', 'USAGE.txt');
  if (!existsSync(notes)) return [];
  const served = new RegExp(`^${basename(capture)}: .*served=\\[([^\\]]*)\\]`, 'm').exec(readFileSync(notes, 'utf8'))?.[1];
  return served === undefined ? [] : [`The server billed, over all runs of this capture: input, output, cache creation, cache read = ${served}.`];
}

function codex() {
  const prefix = values.run === undefined ? '' : `run${values.run}.`;
  const server = existsSync(join(capture, 'server-to-client.jsonl'));
  const stdout = bytes(server ? 'server-to-client.jsonl' : `${prefix}stdout.jsonl`);
  const exit = server ? '0' : read(`${prefix}exit.txt`).trim();
  const files = [
    ...printed(server ? 'server-to-client.jsonl' : `${prefix}stdout.jsonl`, stdout),
    ['exit.json', `${JSON.stringify(/^\d+$/.test(exit) ? { exitCode: Number(exit) } : { exitCode: null, signal: exit.replace(/^signal /, '') })}\n`],
    ...optional('stderr.txt', `${prefix}stderr.txt`),
    ...tree(join(capture, 'rollout')).map((path) => [join('rollouts', basename(path)), trimLines(readFileSync(path))]),
  ];
  const rollout = tree(join(capture, 'rollout'))[0];
  const meta = rollout === undefined ? undefined : firstJson(readFileSync(rollout), (line) => line.type === 'session_meta');
  const index = existsSync(join(capture, '..', 'INDEX.md')) ? read('../INDEX.md') : '';
  const row = index.split('\n').find((line) => line.startsWith(`| ${basename(capture)} |`))?.split('|').map((cell) => cell.trim());
  return {
    files,
    version: meta?.payload?.cli_version ?? '0.171.0',
    about: row?.[3] ?? 'A run of Codex.',
    date: meta?.timestamp?.slice(0, 10) ?? '2026-11-30',
    command: existsSync(join(capture, 'command.txt')) ? read('command.txt').trim() : 'codex app-server',
    truth: row === undefined ? [] : [`The server received ${row[5]} model requests.`],
  };
}

function trimLines(buffer) {
  const lines = splitLines(buffer);
  return Buffer.concat(lines.map(({ line, terminated }) => {
    const kept = trimLine(line);
    return terminated ? Buffer.concat([kept, Buffer.from('\n')]) : kept;
  }));
}

function trimLine(line) {
  let value;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    if (line.length <= 2000) return line;
    cuts.add('lines that are no JSON are shortened');
    return line.subarray(0, 2000);
  }
  const before = JSON.stringify(value);
  const after = JSON.stringify(trimValue(value));
  // A line that nothing was cut from keeps its bytes, duplicate keys and spaces included.
  return after === before ? line : Buffer.from(after);
}

function trimValue(value, key = '') {
  if (typeof value === 'string') return value.length > LONGEST_STRING ? cutString(value) : value;
  if (Array.isArray(value)) {
    if (VENDOR_LISTS.has(key) && value.length > 0 && key !== 'tools_used') {
      cuts.add(`the lists ${[...VENDOR_LISTS].filter((name) => name === key).join()} are emptied`);
      return [];
    }
    return value.map((item) => trimValue(item));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (VENDOR_OBJECTS.has(key) && Object.keys(value).length > 0) {
    cuts.add(`the objects ${key} are emptied`);
    return {};
  }
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, trimValue(child, name)]));
}

function cutString(text) {
  cuts.add(`strings over ${LONGEST_STRING} characters are shortened`);
  const kept = text.slice(0, 500);
  return `${kept}<${text.length - kept.length} characters left out>`;
}

function cutText(buffer) {
  const text = buffer.toString('utf8');
  return text.length > 4000 ? cutString(text) : text;
}

function splitLines(buffer) {
  const lines = [];
  let start = 0;
  for (let at = buffer.indexOf(10); at !== -1; at = buffer.indexOf(10, start)) {
    lines.push({ line: buffer.subarray(start, at), terminated: true });
    start = at + 1;
  }
  if (start < buffer.length) lines.push({ line: buffer.subarray(start), terminated: false });
  return lines;
}

function firstJson(buffer, matches) {
  for (const { line } of splitLines(buffer)) {
    try {
      const value = JSON.parse(line.toString('utf8'));
      if (matches(value)) return value;
    } catch {
      // Not a line of interest.
    }
  }
  return undefined;
}

function dateOf(buffer) {
  return firstJson(buffer, (line) => typeof line.timestamp === 'string')?.timestamp.slice(0, 10);
}

function optional(name, path) {
  return existsSync(join(capture, path)) && statSync(join(capture, path)).size > 0 ? [[name, cutText(bytes(path))]] : [];
}

/** A capture without stdout is not one of a silent CLI. */
function printed(path, stdout) {
  if (existsSync(join(capture, path))) return [['input.jsonl', trimLines(stdout)]];
  cuts.add('stdout, which the capture does not have');
  return [];
}

function tree(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => entry.isDirectory() ? tree(join(folder, entry.name)) : [join(folder, entry.name)]).sort();
}

function bytes(path) {
  return existsSync(join(capture, path)) ? readFileSync(join(capture, path)) : Buffer.alloc(0);
}

function read(path) {
  return readFileSync(join(capture, path), 'utf8');
}
