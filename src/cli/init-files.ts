/** What the first files of a project are made from. */
export interface NewProject {
  /** Of its package.json. */
  readonly name: string;
  /** Where npm takes niceeval from: a range of versions, or `file:` and a folder. */
  readonly niceeval: string;
}

/** The files of a new project, by relative path. */
export function filesOf({ name, niceeval }: NewProject): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify({ name, private: true, type: 'module', scripts: { eval: 'niceeval run --sandbox local' }, devDependencies: { niceeval } }, null, 2)}\n`,
    'niceeval.config.ts': CONFIG,
    'evals/hello.eval.ts': EVAL,
    'experiments/echo.ts': EXPERIMENT,
    'README.md': README,
    '.gitignore': 'node_modules/\n.niceeval/\n',
  };
}

const CONFIG = `import { defineConfig } from 'niceeval';

export default defineConfig({ maxConcurrency: 2, timeoutMs: 5 * 60_000 });
`;

const EVAL = `import { defineEval } from 'niceeval';
import { includes } from 'niceeval/expect';

export default defineEval({
  description: 'The agent answers what it was asked.',
  async test(t) {
    const turn = await t.send('Say hello.');
    turn.succeeded();
    t.check(t.reply, includes('hello'));
  },
});
`;

const EXPERIMENT = `import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineAgent } from 'niceeval/adapter';

// It runs in this very process, so it needs no key and no container. Real ones are claudeCode() and codex() of 'niceeval/adapter'.
export default defineExperiment({
  description: 'An agent that repeats what it is told.',
  agent: defineAgent({
    name: 'echo',
    evidenceCoverage: completeEvidenceCoverage,
    send: async (input) => ({ status: 'completed', events: [{ type: 'message', role: 'assistant', text: \`You said: \${input.text.toLowerCase()}\` }] }),
  }),
});
`;

const README = `# Evals

\`\`\`sh
npm install
npm run eval                         # niceeval run --sandbox local: needs no container engine
npx niceeval show latest             # what the last run came to
npx niceeval run hello --attempts 5 --sandbox local
\`\`\`

- \`evals/*.eval.ts\`: what the agent is asked, and what should be true then.
- \`experiments/*.ts\`: which agent, with which model and settings.
- \`niceeval.config.ts\`: what holds for all.
- \`.niceeval/runs/\`: what happened, run by run.

Without \`--sandbox local\` each Attempt gets a fresh container, which takes Docker or Podman: \`npx niceeval doctor\` looks whether all is there.
`;
