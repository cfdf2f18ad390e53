/** An agent without a sandbox and without a model: it does what the message says. */
export const DIRECT_AGENT = `
import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineAgent } from 'niceeval/adapter';
export default defineExperiment({
  model: 'small-1',
  agent: defineAgent({
    name: 'direct',
    evidenceCoverage: completeEvidenceCoverage,
    sensitiveValues: ['hush-hush'],
    send: async (input, ctx) => {
      const raw = await ctx.openRaw('stdout.jsonl');
      await raw.write(Buffer.from('{"token":"hush-hush"}'));
      await raw.close();
      return { status: 'completed', usage: { inputTokens: 100, outputTokens: 20 }, events: [
        { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Search', input: { query: input.text } } },
        { type: 'operation.finished', operationId: '1', kind: 'tool', status: 'completed', output: 'found \\u001b[2J hush-hush' },
        { type: 'message', role: 'assistant', text: 'done' },
      ] };
    },
  }),
});
`;

/** An eval that claims what the agent answers. */
export const answerEval = (answer: string): string => `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
export default defineEval({ tags: ['small'], async test(t) {
  const turn = await t.send('Look.');
  turn.succeeded();
  t.log('a line of the test');
  t.check(t.reply, equals('${answer}'));
} });
`;
