import { defineExperiment, scripted } from 'niceeval';
import { claudeCode } from 'niceeval/adapter';

export default defineExperiment({
  description: 'The real Claude Code CLI; the model is played from a file, so no key is needed.',
  agent: claudeCode(),
  gateway: scripted('../models/claude-code.json'),
});
