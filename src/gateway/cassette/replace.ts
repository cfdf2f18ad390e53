/** A text and what takes its place. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** Each text in its forms (as it is, in JSON, in JSON within JSON) and what takes its place. Empty texts are left out. */
export function secretsAs(mark: string, secrets: readonly string[]): readonly Replacement[] {
  const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
  const forms = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, escaped(secret), escaped(escaped(secret)), secret.replace(/\s+/g, ' ')]);
  return [...new Set(forms)].map((from) => ({ from, to: mark }));
}

/** One pattern for all texts that are to be replaced. At least one of them must not be empty. */
export function patternOf(replacements: readonly Replacement[]): RegExp {
  const texts = replacements.map(({ from }) => from).filter((from) => from !== '').sort((a, b) => b.length - a.length);
  return new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}
