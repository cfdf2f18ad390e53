import { defineScoreEval } from 'niceeval';
import { commandSucceeded, shellMatch } from 'niceeval/expect';

export default defineScoreEval({
  description: 'The same bug, for points.',
  timeoutMs: 300_000,
  async test(t) {
    await t.sandbox.uploadDirectory('../workspaces/sum');
    const turn = await t.send('The tests of this project fail. Find the bug, mend it, and run the tests.');
    turn.succeeded().gate();
    turn.calledTool(shellMatch('node', { argsStart: ['--test'] })).score(2).label('ran the tests');

    await t.sandbox.uploadFile('../hidden/hidden.test.mjs', 'hidden.test.mjs');
    t.check(await t.sandbox.runCommand('node', ['--test', 'hidden.test.mjs']), commandSucceeded()).score(6).label('the hidden test passes');
    t.sandbox.maxChangedLines(2).score(1).label('a small change');
    t.sandbox.fileChanged('CHANGELOG.md').score(1).label('noted in the change log');
  },
});
