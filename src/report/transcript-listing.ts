import type { ParsedTranscript } from '../agents/parse-transcript.js';
import type { EvidenceCoverage } from '../evidence/coverage.js';
import type { StreamEvent } from '../evidence/events.js';
import type { Usage } from '../evidence/usage.js';
import { clip, plainLine } from './plain-text.js';

const CHARACTERS = 160;

/** A transcript for people: its turns, one line for each event, what it used, what is known and what is not. */
export function transcriptListing(transcript: ParsedTranscript): string {
  const { format, cliVersion, turns, endings, usage, evidenceCoverage, unrecognised, unrecognisedCount, problems } = transcript;
  const lines = [`${format}${cliVersion === undefined ? '' : ` ${oneLine(cliVersion)}`}: ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`];
  for (const [index, turn] of turns.entries()) {
    const ending = endings[index];
    const reason = ending !== undefined && 'reason' in ending ? `: ${oneLine(ending.reason)}` : '';
    lines.push('', `turn ${index + 1}: ${turn.status}${reason}`, ...turn.events.map((event) => `  ${oneLine(eventText(event))}`));
  }
  lines.push('', `usage: ${usageText(usage)}`, 'coverage:', ...coverageLines(evidenceCoverage));
  if (unrecognisedCount > 0) lines.push(`not understood: ${unrecognisedCount}`);
  for (const { source, line, why } of unrecognised) lines.push(`  ${oneLine(`${source}:${line}: ${why}`)}`);
  if (unrecognisedCount > unrecognised.length) lines.push(`  and ${unrecognisedCount - unrecognised.length} more`);
  if (problems.length > 0) lines.push('problems:', ...problems.map((problem) => `  ${plainLine(problem)}`));
  return `${lines.join('\n')}\n`;
}

/** An event in words: what happened, with what. Not clipped, not made safe. */
export function eventText(event: StreamEvent): string {
  switch (event.type) {
    case 'message': return `${event.role}: ${event.text}`;
    case 'operation.started': return event.operation.kind === 'tool'
      ? `${event.operation.name} [${event.operationId}] started: ${JSON.stringify(event.operation.input)}`
      : `subagent ${event.operation.name} [${event.operationId}] started`;
    case 'operation.finished': return `${event.kind} [${event.operationId}] ${event.status}${event.output === undefined ? '' : `: ${outputText(event.output)}`}`;
    case 'skill.loaded': return `skill loaded: ${event.skill}`;
    case 'input.requested': return `asks a person: ${event.request.prompt ?? event.request.action ?? JSON.stringify(event.request)}`;
    case 'thinking': return `thinking: ${event.text}`;
    case 'context.injected': return `context${event.source === undefined ? '' : ` from ${event.source}`}: ${event.text}`;
    case 'compaction': return `compaction${event.reason === undefined ? '' : `: ${event.reason}`}`;
    case 'error': return `error${event.recovered === true ? ' (recovered)' : ''}: ${event.message}`;
  }
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function usageText({ models = {}, ...all }: Usage): string {
  const split = Object.entries(models).map(([model, usage]) => `; ${oneLine(model)}: ${bucketsText(usage)}`);
  return `${bucketsText(all)}${split.join('')}`;
}

function bucketsText(usage: Omit<Usage, 'models'>): string {
  return Object.entries(usage).map(([bucket, value]) => `${bucket} ${value}`).join(', ') || 'not reported';
}

function coverageLines(coverage: EvidenceCoverage): readonly string[] {
  return Object.entries(coverage).map(([channel, { status, reason }]) => `  ${channel}: ${status}${reason === undefined ? '' : ` (${plainLine(reason)})`}`);
}

function oneLine(text: string): string {
  return clip(plainLine(text), CHARACTERS);
}
