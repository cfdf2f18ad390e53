/**
 * Creates a writer of times in ISO 8601 from milliseconds. Those of one record lie close together, so nearly all share all but
 * their last digits with the one before. Undefined for what is no time.
 */
export function createIsoClock(): (milliseconds: number) => string | undefined {
  let second = Number.NaN;
  let head = '';
  return (milliseconds) => {
    if (!Number.isFinite(milliseconds) || Math.abs(milliseconds) >= LATEST_DATE) return undefined;
    const whole = Math.trunc(milliseconds);
    const own = Math.floor(whole / 1000);
    if (own !== second) {
      second = own;
      head = new Date(own * 1000).toISOString().slice(0, -'000Z'.length);
    }
    return `${head}${String(whole - own * 1000).padStart(3, '0')}Z`;
  };
}

// ECMAScript: a date is at most this many milliseconds from 1970.
const LATEST_DATE = 8.64e15;
