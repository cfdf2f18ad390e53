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

/** The same over HTTP, on port 4321, for whoever brings the right token. `whoami` says the token it was given. */
export const TINY_HTTP_SERVER = `import { createServer } from 'node:http';
const tools = [{ name: 'whoami', description: 'Says who asks', inputSchema: { type: 'object', properties: {} } }];
createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    if (request.headers['x-token'] !== 'very-secret-token') return response.writeHead(401).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1.0.0' } }
      : method === 'tools/list' ? { tools }
      : method === 'tools/call' ? { content: [{ type: 'text', text: 'you are ' + request.headers['x-token'] }] } : {};
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}).listen(4321, '127.0.0.1', () => console.log('listening'));
`;

/** One pixel. */
export const TINY_PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
