import type { Random } from './random.js';

const STRANGE = [
  null, true, 0, -1, 1.5, 1e308, -0.1, 2 ** 53, '', ' ', '__proto__', 'constructor', 'unknown', '\ud800', '\u0000', [], {}, [[]], [null], { type: 'unknown' }, [{ type: 'text', text: 7 }],
] as const;

/** The line with one of its JSON values replaced, removed, wrapped or exchanged for another; a line that is no JSON stays. */
export function mutatedLine(line: string, random: Random): string {
  const found = placeIn(line, random);
  if (found === undefined) return line;
  const { holder, places, place: { container, key } } = found;
  switch (random.below(5)) {
    case 0:
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else delete container[key];
      break;
    case 1: container[key] = [container[key]]; break;
    case 2: {
      const other = random.pickAny(places);
      container[key] = structuredClone(other === undefined ? null : other.container[other.key]);
      break;
    }
    default: container[key] = structuredClone(random.pick(STRANGE));
  }
  return `${JSON.stringify(holder.value) ?? 'null'}\n`;
}

/** The line with JSON text in place of one of its values; a line that is no JSON stays. */
export function lineWith(json: string, line: string, random: Random): string {
  const found = placeIn(line, random);
  if (found === undefined) return line;
  found.place.container[found.place.key] = STAND_IN;
  return `${JSON.stringify(found.holder.value).replace(JSON.stringify(STAND_IN), () => json)}\n`;
}

const STAND_IN = 'niceeval conformance: a value stands here';

function placeIn(line: string, random: Random): { readonly holder: { readonly value: unknown }; readonly places: readonly Place[]; readonly place: Place } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const holder = { value };
  const places = placesOf(holder);
  const place = random.pickAny(places);
  return place === undefined ? undefined : { holder, places, place };
}

interface Place { readonly container: Record<string, unknown>; readonly key: string }

/** Every place of a value below the holder. */
function placesOf(holder: object): readonly Place[] {
  const places: Place[] = [];
  const open: object[] = [holder];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const [key, value] of Object.entries(container) as [string, unknown][]) {
      places.push({ container: container as Record<string, unknown>, key });
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return places;
}
