/** Events as `told` gives them. */
export const say = (text: string): object => ({ type: 'message', role: 'assistant', text });
export const hear = (text: string): object => ({ type: 'message', role: 'user', text });
export const start = (id: string, name: string, tool: string, input: object): object => ({ type: 'operation.started', operationId: id, operation: { kind: 'tool', name, tool, input } });
export const end = (id: string, status: string, more: object = {}): object => ({ type: 'operation.finished', operationId: id, kind: 'tool', status, ...more });
export const ask = (request: object): object => ({ type: 'input.requested', request: { id: 'some id', ...request } });
