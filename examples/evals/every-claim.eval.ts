import { defineEval } from 'niceeval';
import { and, commandSucceeded, eventMatch, includes, not, referencesAnyPath, shellMatch, similarity, toolMatch } from 'niceeval/expect';

export default defineEval({
  description: 'The same bug, with a claim of each family.',
  timeoutMs: 300_000,
  async test(t) {
    await t.sandbox.uploadDirectory('../workspaces/sum');
    const turn = await t.send('The tests of this project fail. Find the bug, mend it, and run the tests.');
    await turn.succeeded().orStop();

    await t.group('what it did', () => {
      turn.calledTool('file_edit').key('edited');
      turn.calledTool(shellMatch('node', { argsStart: ['--test'], status: 'completed' })).label('ran the tests, and they passed');
      turn.toolOrder(['file_edit', shellMatch('node', { argsStart: ['--test'] })]).label('ran them after its change');
      turn.notCalledTool(shellMatch('git', { argsStart: ['push'] }));
      turn.notCalledTool(toolMatch('file_edit', { input: referencesAnyPath(['**/*.test.mjs']) })).label('left the tests alone');
      turn.calledTool(toolMatch('shell').between(1, 3));
      turn.maxToolCalls(5);
      turn.noFailedActions();
    });
    await t.group('what happened', () => {
      turn.event(eventMatch('message', { role: 'assistant', text: /passes/ }));
      turn.eventOrder([eventMatch('operation.started', { tool: 'file_edit' }), eventMatch('message', { text: /passes/ })]);
      turn.notEvent('error');
      turn.notEvent('compaction');
      turn.notEvent('input.requested');
      turn.notEvent(eventMatch('operation.started', { subagent: true })).label('delegated nothing');
    });
    await t.group('what it took', () => {
      t.maxTokens(20_000);
      t.maxDuration(120_000);
      t.maxTurns(1);
      t.maxCost(1).optional(); // A model without a price leaves it unknown.
      t.maxRequests(10); // Counted by the gateway.
    });
    await t.group('what it changed', async () => {
      t.sandbox.onlyChanged(['*.mjs']);
      t.sandbox.fileChanged('sum.mjs', { status: 'modified', before: includes('a - b'), after: includes('a + b') });
      t.sandbox.maxChangedLines(4);
      t.sandbox.notInDiff(/console\.log/);
      t.check(await t.sandbox.readText('sum.mjs'), and(includes('a + b', { stripComments: true }), not(includes('a - b'))));
      t.check(await t.sandbox.runCommand('node', ['--test']), commandSucceeded());
    });
    t.check(turn.message, similarity('sum subtracted where it should add. I changed a - b to a + b, and node --test passes.')).atLeast(0.6);
  },
});
