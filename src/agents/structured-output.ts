import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../evidence/json.js';
import type { Turn } from '../evidence/turn.js';
import { messageOf } from '../lifetime/error.js';
import { AgentInputError } from './errors.js';

/** Tells whether a turn's product is what was asked for. */
export type OutputCheck = (turn: Turn) => Turn;

/**
 * Compiles the schema of a structured product. JSON Schema 2020-12, or draft-07 where `$schema` says so; `format` is
 * not looked at.
 *
 * The check lets a completed turn be failed when its product does not fit; the product stays in `data` to be looked at.
 *
 * @throws AgentInputError when the schema is none.
 */
export function outputCheckOf(schema: JsonObject | undefined): OutputCheck {
  if (schema === undefined) return (turn) => turn;
  const validate = compiled(schema);
  return (turn) => {
    if (turn.status !== 'completed' || turn.data === undefined || validate(turn.data)) return turn;
    const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath === '' ? '/' : instancePath} ${message ?? 'does not fit'}`);
    return { ...turn, status: 'failed', events: [...turn.events, { type: 'error', message: `the structured output does not fit its schema: ${faults.join('; ')}` }] };
  };
}

function compiled(schema: JsonObject): ValidateFunction {
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
  try {
    const ajv = String(schema['$schema'] ?? '').includes('draft-07') ? new Ajv(options) : new Ajv2020(options);
    const validate = ajv.compile(schema as AnySchemaObject);
    if (schema['$async'] === true || '$async' in validate) throw new Error('`$async` belongs to one validator and to no draft');
    return validate;
  } catch (error) {
    throw new AgentInputError(`The \`schema\` of send(...) is no JSON Schema: ${messageOf(error)}.`, { cause: error });
  }
}
