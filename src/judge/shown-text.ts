/**
 * A text of the endpoint as it may be shown and kept: without the key, and of at most so many characters. A character that
 * came halved, or that the cut halved, becomes U+FFFD. Control characters stay: printing is for the printer.
 */
export function shownText(text: string, options: { readonly key: string; readonly longest: number }): string {
  const { key, longest } = options;
  // A half of the key must not be left by the cut, so it is taken out before.
  const forms = [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
  const open = forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text);
  const cut = open.length <= longest ? open : `${open.slice(0, longest - 3)}...`;
  return cut.replace(/\p{Surrogate}/gu, '\uFFFD');
}
