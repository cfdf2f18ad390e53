/** Source text of experiments whose agents need no model, for projects of tests. */

/** An agent that runs one shell script per send, as the agent's user. */
export const shellAgent = (script: string, extra = ''): string => `
import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineSandboxAgent } from 'niceeval/adapter';

export default defineExperiment({
  agent: defineSandboxAgent({
    name: 'shell',
    evidenceCoverage: completeEvidenceCoverage,
    send: async (input, ctx) => {
      const { stdout } = await ctx.sandbox.runShell(${JSON.stringify(script)}, { signal: ctx.signal });
      return { status: 'completed', events: [{ type: 'message', role: 'assistant', text: stdout }] };
    },
  }),
  ${extra}
});
`;

/** An eval that sends one message and claims that it succeeded. */
export const sendEval = (before = '', after = ''): string => `
import { defineEval } from 'niceeval';
import { equals, includes } from 'niceeval/expect';
export default defineEval({
  async test(t) {
    ${before}
    const turn = await t.send('go');
    turn.succeeded();
    ${after}
  },
});
`;
