/** An MCP server over stdio that adds, fails and greets. */
export const TINY_SERVER = `import readline from 'node:readline';
const object = (properties = {}) => ({ type: 'object', properties });
const tools = [
  { name: 'add', description: 'Adds two numbers', inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }) },
  { name: 'fail', description: 'Always fails', inputSchema: object({ why: { type: 'string' } }) },
  { name: 'greeting', description: 'Says what its environment told it', inputSchema: object() },
];
const say = (text) => ({ content: [{ type: 'text', text }] });
const call = { add: ({ a, b }) => say(String(a + b)), fail: ({ why }) => ({ ...say('failed ' + why), isError: true }), greeting: () => say(process.env.TINY_GREETING ?? 'nothing') };
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
for await (const line of readline.createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize') reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1.0.0' } });
  else if (method === 'tools/list') reply(id, { tools });
  else if (method === 'tools/call') reply(id, call[params.name](params.arguments ?? {}));
  else reply(id, {});
}
`;

/** One pixel. */
export const TINY_PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
