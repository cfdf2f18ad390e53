import { defineExperiment, scripted } from 'niceeval';
import { codex } from 'niceeval/adapter';

export default defineExperiment({
  description: 'The real Codex CLI; the model is played from a file, so no key is needed.',
  agent: codex(),
  gateway: scripted('../models/codex.json'),
});
