import type { ReadEvent } from '../record/read-attempt.js';
import { plainJsonLine, plainLine, clip } from './plain-text.js';
import { eventText } from './transcript-listing.js';

const CHARACTERS = 400;

/** An event of a record in one line: its number, where it happened, what. */
export function eventListingLine(read: ReadEvent): string {
  if (read.problem !== undefined) return `      ! ${plainLine(read.problem)}\n`;
  const { line, session, turn, event } = read;
  return `${String(line).padStart(5)}  s${session}/t${turn}  ${clip(plainLine(eventText(event)), CHARACTERS)}\n`;
}

/** The same as JSON. */
export function eventJsonLine(read: ReadEvent): string {
  return `${plainJsonLine(read)}\n`;
}
