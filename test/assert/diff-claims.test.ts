import { describe, expect, test } from 'vitest';
import { notInDiff, type NotInDiffOptions } from '../../src/assert/diff-claims.js';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { FileChange } from '../../src/evidence/file-changes.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { added, deleted, dependencies, evidence, file, internals, link, modified } from './file-builders.js';
import { outcomeOf } from './outcomes.js';

type Status = MatchOutcome['status'];
/** One for each of `added`, `removed` and `both`. */
type Three = readonly [added: Status, removed: Status, both: Status];

const CONTENTS = ['added', 'removed', 'both'] as const;
const NONE: Three = ['matched', 'matched', 'matched'];
const ADDED: Three = ['mismatched', 'matched', 'mismatched'];
const REMOVED: Three = ['matched', 'mismatched', 'mismatched'];
const EITHER: Three = ['mismatched', 'mismatched', 'mismatched'];
const UNKNOWN: Three = ['unavailable', 'unavailable', 'unavailable'];

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const image = (text: string): Buffer => Buffer.concat([bytes('8950ff00'), Buffer.from(text), bytes('00')]);

async function allThree(expression: RegExp, windows: readonly (readonly FileChange[])[]): Promise<readonly Status[]> {
  const outcomes: Status[] = [];
  for (const content of CONTENTS) outcomes.push((await outcomeOf(notInDiff(evidence(windows), expression, { content }))).status);
  return outcomes;
}

describe('notInDiff', () => {
  test.each<[string, RegExp, readonly FileChange[], Three]>([
    ['a line that was added', /TODO/, [modified('a', 'one\n', 'one\nTODO\n')], ADDED],
    ['a line that was removed', /TODO/, [modified('a', 'one\nTODO\n', 'one\n')], REMOVED],
    ['a line that was there before and still is', /TODO/, [modified('a', 'TODO\none\n', 'TODO\ntwo\n')], NONE],
    ['a line that was changed and holds it on both sides', /TODO/, [modified('a', 'TODO one\n', 'TODO two\n')], EITHER],
    ['a line that was moved', /TODO/, [modified('a', 'TODO\none\ntwo\n', 'one\ntwo\nTODO\n')], EITHER],
    ['a file that was added', /TODO/, [added('a', 'TODO')], ADDED],
    ['a file that was deleted', /TODO/, [deleted('a', 'TODO')], REMOVED],
    ['nothing of it', /FIXME/, [modified('a', 'TODO\n', 'DONE\n'), added('b', 'x'), deleted('c', 'y')], NONE],
    ['no change at all', /./, [], NONE],
    ['the name of a path, whatever happened to it', /\.pem$/, [deleted('key.pem', 'x')], EITHER],
    ['a name with a space', /my key/, [added('my%20key', 'x')], EITHER],
    ['a name that is not ASCII', /naïve/, [added('na%C3%AFve.md', 'x')], EITHER],
    ['the way a name is kept, which nobody wrote', /%20/, [added('my%20key', 'x')], NONE],
    ['two added lines beside each other', /one\ntwo/, [modified('a', 'x\n', 'x\none\ntwo\n')], ADDED],
    ['two added lines with an old one between', /one\n+two/, [modified('a', 'x\n', 'one\nx\ntwo\n')], NONE],
    ['an added and a removed line, which are never one text', /one\ntwo/, [modified('a', 'one\nx\n', 'x\ntwo\n')], NONE],
    ['a line end of its own', /TODO$/m, [modified('a', 'one\n', 'one\nTODO\nmore\n')], ADDED],
    ['the end of a file without a line break', /^end$/m, [modified('a', 'one\n', 'one\nend')], ADDED],
    ['the text of a new link', /secret/, [{ path: 'a', status: 'added', after: link('/home/secret') }], ADDED],
    ['the text of a new link with a space', /my secret/, [{ path: 'a', status: 'added', after: link('my%20secret') }], ADDED],
    ['the file that a link took the place of', /TODO/, [{ path: 'a', status: 'type-changed', before: file('TODO'), after: link('b') }], REMOVED],
    ['a folder', /x/, [{ path: 'a', status: 'added', after: { kind: 'directory', mode: 0o755, uid: 0, gid: 0 } }], NONE],
    ['bytes that were added', /TODO/, [{ path: 'a', status: 'added', after: file(image('TODO'), { binary: true }) }], ADDED],
    ['bytes that were added, and hold nothing of it', /TODO/, [{ path: 'a', status: 'added', after: file(image('x'), { binary: true }) }], NONE],
    ['bytes that are UTF-16', /TODO/, [{ path: 'a', status: 'added', after: file(Buffer.from('\uFEFFTODO', 'utf16le'), { binary: true }) }], ADDED],
    ['bytes that are UTF-16 of the other order', /TODO/, [{ path: 'a', status: 'added', after: file(Buffer.from('\uFEFFTODO', 'utf16le').swap16(), { binary: true }) }], ADDED],
    ['bytes that are UTF-16 after a single byte', /TODO/, [{ path: 'a', status: 'added', after: file(Buffer.concat([Buffer.of(0), Buffer.from('TODO', 'utf16le')]), { binary: true }) }], ADDED],
    ['bytes that hold it now, and may have before', /TODO/, [{ path: 'a', status: 'modified', before: file(image('x'), { binary: true }), after: file(image('TODO'), { binary: true }) }], ['unavailable', 'matched', 'unavailable']],
    ['bytes that hold it on no side', /FIXME/, [{ path: 'a', status: 'modified', before: file(image('x'), { binary: true }), after: file(image('TODO'), { binary: true }) }], NONE],
    ['a file that was too large to keep', /TODO/, [{ path: 'a', status: 'modified', before: file('x'), after: file('y', { contentGap: 'too-large' }) }], UNKNOWN],
    ['a lost side beside what was surely added', /TODO/, [{ path: 'a', status: 'modified', before: file('x', { contentGap: 'not-read' }), after: file('TODO') }], UNKNOWN],
    ['a hit for certain beside one that cannot be told', /TODO/, [{ path: 'a', status: 'added', after: file('y', { contentGap: 'too-large' }) }, added('b', 'TODO')], ['mismatched', 'unavailable', 'mismatched']],
  ])('%s', async (_what, expression, changes, expected) => {
    expect(await allThree(expression, [changes])).toEqual(expected);
  });

  test('looks at every send, also at what a later one took back', async () => {
    const windows = [[modified('a', 'one\n', 'one\nTODO\n')], [modified('a', 'one\nTODO\n', 'one\n')]];
    expect(await allThree(/TODO/, windows)).toEqual(EITHER);
    expect(await outcomeOf(notInDiff(evidence(windows), /TODO/, { content: 'removed' }))).toEqual({
      status: 'mismatched', expected: 'the agent removed nothing that fits /TODO/', received: 'removed in a (turn2): "TODO"',
    });
  });

  test.each<[string, readonly FileChange[], NotInDiffOptions | undefined, object]>([
    ['the line', [modified('a', 'x\n', 'x\ny\nTODO later\nz\n')], undefined, { status: 'mismatched', expected: 'the agent added nothing that fits /TODO/', received: 'added in a (turn1): "TODO later"' }],
    ['the path', [added('my%20TODO', 'x')], { content: 'both' }, { status: 'mismatched', expected: 'the agent added or removed nothing that fits /TODO/', received: 'the path my%20TODO in turn1' }],
    ['what was not kept', [{ path: 'a', status: 'added', after: file('x', { contentGap: 'limit-reached' }) }], undefined, { status: 'unavailable', code: 'content-not-kept', reason: 'a (turn1): its content was not kept (limit-reached)' }],
  ])('tells %s', async (_what, changes, options, outcome) => {
    expect(await outcomeOf(notInDiff(evidence([changes]), /TODO/, options))).toEqual(outcome);
  });

  test.each(['g', 'y', 'gy', 'gi'])('has no memory for the flags %s', async (flags) => {
    const expression = new RegExp('TODO', flags);
    expression.lastIndex = 3;
    const windows = [[added('a', 'TODO\n')], [added('b', 'TODO\n')]];
    const claim = notInDiff(evidence(windows), expression);
    expect([(await outcomeOf(claim)).status, (await outcomeOf(claim)).status, expression.lastIndex]).toEqual(['mismatched', 'mismatched', 3]);
  });

  test('leaves out what is counted only, and says so', async () => {
    expect(await outcomeOf(notInDiff(evidence([[]], [dependencies, internals]), /TODO/))).toEqual({ status: 'matched', note: 'left out: node_modules' });
  });

  test.each<[string, () => unknown, string]>([
    ['a text', () => notInDiff(evidence([]), 'TODO' as never), 'notInDiff needs a regular expression, for instance /console\\.log/, not "TODO".'],
    ['an unknown option', () => notInDiff(evidence([]), /a/, { side: 'added' } as never), 'notInDiff does not know the option "side". It knows content.'],
    ['an unknown content', () => notInDiff(evidence([]), /a/, { content: 'all' as never }), 'notInDiff does not know the content "all". It knows added, removed and both.'],
  ])('refuses %s', (_what, make, message) => {
    expect(make).toThrow(new ClaimAuthoringError(message));
  });
});
