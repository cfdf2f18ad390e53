import type { AgentConditions } from '../agents/conditions.js';
import type { NetworkPhases } from '../sandbox/network-access.js';
import type { WriteAccess } from '../sandbox/sandbox.js';
import type { ApprovalPolicy, SandboxPolicy } from './scenario.js';

/** What holds where neither a scenario nor the command says anything. */
export const DEFAULT_APPROVALS: ApprovalPolicy = 'on_request';
export const DEFAULT_SANDBOX: SandboxPolicy = { kind: 'workspace_write' };

const APPROVALS = { never: 'never', on_request: 'on-request', always: 'always' } as const;
const WRITES = { read_only: 'nothing', workspace_write: 'workspace', full_access: 'anywhere', danger_full_access: 'anywhere' } as const;

/** What policies mean for the agent. */
export function conditionsOf(approvals: ApprovalPolicy, sandbox: SandboxPolicy): Pick<AgentConditions, 'approvals' | 'writes' | 'network'> {
  const writes = WRITES[sandbox.kind];
  return { approvals: APPROVALS[approvals], writes, network: sandbox.network_access ?? writes === 'anywhere' };
}

/** What of the sandbox may be written. `undefined`: all of it. */
export function writeAccessOf({ writes }: Pick<AgentConditions, 'writes'>, homeFolders: readonly string[]): WriteAccess | undefined {
  return writes === 'anywhere' ? undefined : { workspace: writes === 'workspace', homeFolders };
}

/** Where the sandbox may talk to, the commands after the run included. `undefined`: to the gateway and nothing else. */
export function networkOf({ network }: Pick<AgentConditions, 'network'>): NetworkPhases | undefined {
  return network ? { prepare: 'model-only', agent: 'open', grade: 'open' } : undefined;
}
