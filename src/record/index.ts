export { attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema, runFileSchema, SCHEMA_VERSION } from './schema.js';
