import { defineEval } from 'niceeval';
import { commandSucceeded, equals, includes, pattern } from 'niceeval/expect';

export default defineEval({
  description: 'A small project whose tests fail: find the bug and mend it.',
  tags: ['smoke'],
  timeoutMs: 300_000,
  workspace: '../workspaces/sum',
  async test(t) {
    const before = await t.sandbox.runCommand('node', ['--test']);
    await t.check(before.exitCode, equals(1)).label('the tests fail at first').orStop();

    const turn = await t.send('The tests of this project fail. Find the bug, mend it, and run the tests.');
    turn.succeeded();
    turn.calledTool('file_edit').label('edited a file');
    turn.calledTool('shell', { count: { atLeast: 1 } }).label('ran a command');
    t.check(turn.message, pattern(/passes?\b/)).label('says that the tests pass');

    const second = await t.send('What did you change? Answer in one sentence.');
    second.succeeded();
    t.check(t.reply, includes('sum.mjs')).label('remembers what it changed');

    // The agent never sees this test: it comes after its last turn.
    await t.sandbox.uploadFile('../hidden/hidden.test.mjs', 'hidden.test.mjs');
    t.check(await t.sandbox.runCommand('node', ['--test', 'hidden.test.mjs']), commandSucceeded()).label('the hidden test passes');

    t.sandbox.changedPaths(['sum.mjs']).label('nothing else was touched');
    t.sandbox.fileChanged('sum.mjs', { status: 'modified', before: includes('a - b'), after: includes('a + b') });
  },
});
