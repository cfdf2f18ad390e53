import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/agent.js';
import { codex } from '../../src/agents/codex/agent.js';
import { defineExperiment } from '../../src/define/experiment.js';
import { scripted } from '../../src/define/gateway.js';

describe('a reasoning effort', () => {
  it.each([
    [claudeCode(), 'minimal', 'defineExperiment: Claude Code does not know the reasoningEffort "minimal". It knows low, medium, high, xhigh, max.'],
    [codex(), 'max', 'defineExperiment: Codex does not know the reasoningEffort "max". It knows none, minimal, low, medium, high, xhigh.'],
  ])('that the CLI does not know is refused when the experiment is loaded', (agent, reasoningEffort, message) => {
    expect(() => defineExperiment({ agent, reasoningEffort, gateway: scripted('./m.json') })).toThrow(message);
  });

  it.each([[claudeCode(), 'max'], [codex(), 'minimal']])('that the CLI knows is taken', (agent, reasoningEffort) => {
    expect(defineExperiment({ agent, reasoningEffort, gateway: scripted('./m.json') }).reasoningEffort).toBe(reasoningEffort);
  });
});
