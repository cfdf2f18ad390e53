export type { DataDecoder, DecodingSchema, TellingDecoder } from './decoder.js';
export { loadCsv } from './load-csv.js';
export { loadJson, loadJsonLines } from './load-json.js';
export { loadText } from './load-text.js';
export { loadYaml } from './load-yaml.js';
