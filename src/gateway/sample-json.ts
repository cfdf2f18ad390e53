import { isJsonObject, type JsonValue } from '../evidence/json.js';

const DEEPEST = 8;

/** A small value that a JSON schema of the usual kind accepts, for clients that demand structured answers. */
export function sampleOf(schema: JsonValue | undefined, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > DEEPEST) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return (schema.enum as readonly JsonValue[])[0] ?? null;
  const type = Array.isArray(schema.type) ? (schema.type as readonly JsonValue[])[0] : schema.type;
  switch (type) {
    case 'object': {
      const properties = isJsonObject(schema.properties) ? schema.properties : {};
      return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, sampleOf(value, depth + 1)]));
    }
    case 'array':
      return [];
    case 'string':
      return 'Scripted';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    default:
      return null;
  }
}
