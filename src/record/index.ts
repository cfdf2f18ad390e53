export { RecordAmbiguousError, RecordNotFoundError } from './errors.js';
export { RECORD_FILE_NAMES, recordJsonSchema, type RecordFileName } from './json-schema.js';
export { locateRecord, locateRun, type Located } from './locate.js';
export { migrate, type Migrated } from './migrate.js';
export type { Part } from './part.js';
export type { RawFile } from './raw-reader.js';
export { readAttempt, resultOf, type AttemptRecord, type ReadEvent } from './read-attempt.js';
export { listRuns, readRun, type PlannedName, type RunListing, type RunRecord } from './read-run.js';
export {
  attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema, MARKER, runFileSchema, SCHEMA_VERSIONS, type AttemptFile, type ChangesFile, type EventLine, type RunFile,
} from './schema.js';
