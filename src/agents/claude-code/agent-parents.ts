import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { isDelegation } from './tools.js';

/** One JSONL file of a session folder. */
export interface AgentFile {
  readonly path: string;
  /** The file's name without its extension: `agent-<id>` for a subagent. */
  readonly name: string;
  readonly entries: readonly PlacedEntry[];
}

/** An entry whose place in the session is being found. */
export interface PlacedEntry {
  readonly record: Fields;
  readonly source: string;
  readonly line: number;
  readonly uuid: string | undefined;
  at: string | undefined;
  parent: string | undefined;
  /** Milliseconds; a file's entries do not run backwards, except where they say so. */
  time: number;
  /** Orders entries of the same millisecond. */
  rank: number;
  index: number;
}

/** Which call started which subagent. */
export interface AgentParents {
  agentIdOf(file: AgentFile): string | undefined;
  depthOf(file: AgentFile): number;
  /** The call that an entry happened inside. */
  parentOf(file: AgentFile, record: Fields): string | undefined;
  /** True for the tool result that reports a subagent's end. */
  endsAgent(record: Fields): boolean;
}

/**
 * Finds the call behind each subagent: by the `.meta.json` beside its file, else by the agent id in a tool result, else
 * by its prompt, which is the prompt of the call. Claude Code 1 kept subagents in the main file as sidechains.
 */
export function parentsOf(files: readonly AgentFile[], metas: ReadonlyMap<string, Fields>): AgentParents {
  const callOfAgent = new Map<string, string>();
  const callsByPrompt = new Map<string, string[]>();
  const parentUuids = new Map<string, string | undefined>();
  const sidechainPrompts = new Map<string, string>();
  for (const { entries } of files) {
    for (const { record, uuid } of entries) {
      noteCalls(record, callsByPrompt);
      noteResult(record, callOfAgent);
      if (record['isSidechain'] !== true || uuid === undefined) continue;
      const above = nameOf(record['parentUuid']);
      parentUuids.set(uuid, above);
      const prompt = promptIn(record);
      if (above === undefined && prompt !== undefined) sidechainPrompts.set(uuid, prompt);
    }
  }
  const callOfPrompt = new Map<string, string>();
  const claim = (key: string, prompt: string | undefined): string | undefined => {
    const claimed = callOfPrompt.get(key);
    if (claimed !== undefined || prompt === undefined) return claimed;
    const call = callsByPrompt.get(prompt)?.shift();
    if (call !== undefined) callOfPrompt.set(key, call);
    return call;
  };
  const agentIds = new Map(files.map((file) => [file, agentIdIn(file)]));
  const agentIdOf = (file: AgentFile): string | undefined => agentIds.get(file);
  const rootOf = (uuid: string): string => {
    let root = uuid;
    for (let steps = parentUuids.size; steps > 0; steps -= 1) {
      const above = parentUuids.get(root);
      if (above === undefined) break;
      root = above;
    }
    // The next line of the same thread finds it in two steps.
    if (root !== uuid) parentUuids.set(uuid, root);
    return root;
  };
  const callOfFile = new Map<AgentFile, string | undefined>();
  for (const file of files) {
    const agentId = agentIdOf(file);
    if (agentId === undefined) continue;
    const first = file.entries[0]?.record;
    callOfFile.set(file, nameOf(metas.get(file.name)?.['toolUseId']) ?? callOfAgent.get(agentId) ?? claim(agentId, first === undefined ? undefined : promptIn(first)));
  }
  return {
    agentIdOf,
    depthOf: (file) => (agentIdOf(file) === undefined ? 0 : countOf(metas.get(file.name)?.['spawnDepth']) ?? 1),
    parentOf(file, record) {
      if (agentIdOf(file) !== undefined) return callOfFile.get(file);
      const uuid = nameOf(record['uuid']);
      if (record['isSidechain'] !== true || uuid === undefined) return undefined;
      const root = rootOf(uuid);
      return claim(root, sidechainPrompts.get(root));
    },
    endsAgent: (record) => nameOf(fieldsOf(record['toolUseResult'])?.['agentId']) !== undefined,
  };
}

function agentIdIn({ name, entries }: AgentFile): string | undefined {
  return /^agent-(.+)$/.exec(name)?.[1] ?? (entries[0]?.record['isSidechain'] === true ? nameOf(entries[0].record['agentId']) : undefined);
}

function noteCalls(record: Fields, callsByPrompt: Map<string, string[]>): void {
  if (record['type'] !== 'assistant') return;
  for (const item of listOf(fieldsOf(record['message'])?.['content'])) {
    const block = fieldsOf(item);
    const id = nameOf(block?.['id']);
    const prompt = textOf(fieldsOf(block?.['input'])?.['prompt']);
    if (block?.['type'] !== 'tool_use' || id === undefined || prompt === undefined || !isDelegation(nameOf(block['name']) ?? '')) continue;
    callsByPrompt.set(prompt, [...(callsByPrompt.get(prompt) ?? []), id]);
  }
}

function noteResult(record: Fields, callOfAgent: Map<string, string>): void {
  const agentId = nameOf(fieldsOf(record['toolUseResult'])?.['agentId']);
  if (agentId === undefined) return;
  const call = listOf(fieldsOf(record['message'])?.['content']).map((item) => nameOf(fieldsOf(item)?.['tool_use_id'])).find((id) => id !== undefined);
  if (call !== undefined) callOfAgent.set(agentId, call);
}

function promptIn(record: Fields): string | undefined {
  if (record['type'] !== 'user') return undefined;
  const content = fieldsOf(record['message'])?.['content'];
  return textOf(content) ?? textOf(fieldsOf(listOf(content)[0])?.['text']);
}
