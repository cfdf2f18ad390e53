import { describe, expect, test } from 'vitest';
import { controlResponseOf, isRefusal, userMessageOf, type OpenRequest } from '../../../src/agents/claude-code/answers.js';

/** The questions of fixtures/agents/claude-code/2.1.197/ask-user-question, and one more. */
const colour = { question: 'Which colour?', header: 'Colour', options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }], multiSelect: false };
const size = { question: 'Which size?', header: 'Size', options: [{ label: 'Small', description: 's' }], multiSelect: false };
const asks = (...questions: readonly object[]): OpenRequest => ({ id: '9ec6', call: 'toolu_1', tool: 'AskUserQuestion', input: { questions } });
const write: OpenRequest = { id: '0c26', call: 'toolu_2', tool: 'Write', input: { file_path: '/w/x.txt', content: 'x' } };

describe('what Claude Code is told', () => {
  test('about a question is what it was told when the answer was captured', () => {
    expect(controlResponseOf(asks(colour), [{ request: { id: '9ec6' }, optionId: 'Blue' }])).toEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: '9ec6', response: { behavior: 'allow', updatedInput: { questions: [colour], answers: { 'Which colour?': 'Blue' } } } },
    });
  });

  test('about several questions pairs answers by their ids, whatever their order', () => {
    const { response } = controlResponseOf(asks(colour, size), [{ request: { id: '9ec6#1' }, optionId: 'Small' }, { request: { id: '9ec6#0' }, text: 'Green' }]) as { response: { response: { updatedInput: { answers: object } } } };
    expect(response.response.updatedInput.answers).toEqual({ 'Which size?': 'Small', 'Which colour?': 'Green' });
  });

  test('about leave to do something is yes with the same input, or no', () => {
    expect(controlResponseOf(write, [{ request: { id: '0c26' }, optionId: 'approve' }])).toMatchObject({ response: { request_id: '0c26', response: { behavior: 'allow', updatedInput: write.input } } });
    expect(controlResponseOf(write, [{ request: { id: '0c26' }, optionId: 'deny' }])).toMatchObject({ response: { request_id: '0c26', response: { behavior: 'deny' } } });
    expect([isRefusal(write, [{ request: {}, optionId: 'deny' }]), isRefusal(write, [{ request: {}, optionId: 'approve' }]), isRefusal(asks(colour), [{ request: {}, text: 'deny' }])]).toEqual([true, false, false]);
  });

  test('as a message is its text, with what is shown before it', () => {
    expect(userMessageOf({ text: 'Look' })).toMatchObject({ message: { role: 'user', content: 'Look' } });
    expect(userMessageOf({ text: 'Look', files: [{ name: 'a.png', mediaType: 'image/png', data: 'AA==' }, { name: 'b.pdf', mediaType: 'application/pdf', data: 'AA==' }] })).toMatchObject({ message: { content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }, { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } }, { type: 'text', text: 'Look' },
    ] } });
    expect(() => userMessageOf({ text: 'Hear', files: [{ name: 'a.ogg', mediaType: 'audio/ogg', data: 'AA==' }] })).toThrow('Claude Code cannot be shown "a.ogg" (audio/ogg)');
  });
});
