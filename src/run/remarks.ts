import { ClaimAuthoringError } from '../assert/errors.js';
import { checkedText } from '../assert/ledger.js';
import type { DiagnosticInput, ProgressInput } from '../define/context.js';
import { isJsonObject, jsonValueSchema } from '../evidence/json.js';
import { show } from '../expect/match.js';

/** @throws ClaimAuthoringError unless it can be kept in the record. */
export function checkedDiagnostic(given: DiagnosticInput): DiagnosticInput {
  const fields = checkedFields('diagnostic', given, ['code', 'level', 'message', 'data', 'dedupeKey']);
  checkedText('The `code` of diagnostic(...)', fields['code'] as string);
  if (fields['level'] !== 'warning' && fields['level'] !== 'error') throw new ClaimAuthoringError(`diagnostic: \`level\` is warning or error, not ${show(fields['level'])}.`);
  checkMessage('diagnostic', fields['message']);
  if (fields['data'] !== undefined && !jsonValueSchema.safeParse(fields['data']).success) throw new ClaimAuthoringError('diagnostic: `data` must be JSON.');
  if (fields['dedupeKey'] !== undefined) checkedText('The `dedupeKey` of diagnostic(...)', fields['dedupeKey'] as string);
  return structuredClone(given);
}

/** @throws ClaimAuthoringError unless it can be shown. */
export function checkedProgress(given: ProgressInput): ProgressInput {
  const fields = checkedFields('progress', given, ['message', 'current', 'total']);
  checkMessage('progress', fields['message']);
  for (const field of ['current', 'total']) {
    const number = fields[field];
    if (number !== undefined && !(typeof number === 'number' && Number.isFinite(number) && number >= 0)) throw new ClaimAuthoringError(`progress: \`${field}\` is a number of at least 0, not ${show(number)}.`);
  }
  return { ...given };
}

function checkedFields(method: string, given: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(given)) throw new ClaimAuthoringError(`${method}(...) needs an object with ${known.join(', ')}.`);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new ClaimAuthoringError(`${method}(...) does not know the field "${unknown}". It knows ${known.join(', ')}.`);
  return given;
}

function checkMessage(method: string, message: unknown): void {
  if (typeof message !== 'string' || message.trim() === '') throw new ClaimAuthoringError(`${method}: \`message\` is a text that is not blank.`);
}
