import { clip, plainLine } from './plain-text.js';

// Surrogates without their half and the two noncharacters: UTF-8 cannot carry the former, XML 1.0 forbids both.
const UNCARRIED = /[\p{Cs}\uFFFE\uFFFF]/gu;

/**
 * Text of a stranger made safe for one line of a file that other programs read: `plainLine`, and what UTF-8 or XML 1.0 cannot carry is
 * shown as escapes too. Of a longer text, the first `length` characters, the cut marked.
 */
export function fileLine(text: string, length: number): string {
  // Escapes only lengthen a text, and no character has more than two units: the rest cannot matter.
  const beginning = text.slice(0, 2 * length + 2);
  const shown = plainLine(beginning).replace(UNCARRIED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return clip(shown, length);
}
