import { z } from 'zod';

const TOOL_NAMES = [
  'file_read', 'file_write', 'file_edit', 'shell', 'web_fetch', 'web_search',
  'glob', 'grep', 'list_dir', 'agent_task', 'unknown',
] as const;

/** The canonical class of a tool, the same for every CLI. `unknown` when no class fits. */
export type ToolName = (typeof TOOL_NAMES)[number];

/** True for one of the canonical names. */
export function isToolName(name: string): name is ToolName {
  return (TOOL_NAMES as readonly string[]).includes(name);
}

export const toolNameSchema = z.enum(TOOL_NAMES);
