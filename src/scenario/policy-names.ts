import { parseJson } from '../evidence/json.js';
import { approvalPolicySchema, sandboxPolicySchema, type ApprovalPolicy, type SandboxPolicy } from './scenario.js';

/** The approval policy that a word of the command line means: with hyphens, underscores or neither. `undefined`: none. */
export function approvalPolicyOf(word: string): ApprovalPolicy | undefined {
  return approvalPolicySchema.options.find((policy) => bare(policy) === bare(word));
}

/** The sandbox policy that a word of the command line means, or one in JSON as scenarios have it. `undefined`: none. */
export function sandboxPolicyOf(text: string): SandboxPolicy | undefined {
  const kind = sandboxPolicySchema.shape.kind.options.find((each) => bare(each) === bare(text));
  return kind === undefined ? sandboxPolicySchema.safeParse(parseJson(text)).data : { kind };
}

function bare(word: string): string {
  return word.trim().toLowerCase().replace(/[-_ ]/g, '');
}
