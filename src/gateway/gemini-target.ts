/** What the path of a call to a Gemini model says. */
export interface GeminiTarget {
  readonly model: string;
  /** The method after the colon, such as `generateContent`. */
  readonly method: string;
}

// A model's name can be no step up a path and holds nothing encoded, so that a path that fits can be sent on as it is.
const CALL = /^\/v1(?:beta)?\/models\/([A-Za-z0-9][\w.@-]{0,199}):([A-Za-z]{1,40})$/;

/** Reads `/v1beta/models/{model}:{method}`, and the same under `/v1`. `undefined`: the path is none of these. */
export function geminiTargetOf(path: string): GeminiTarget | undefined {
  const [, model, method] = CALL.exec(path) ?? [];
  return model === undefined || method === undefined ? undefined : { model, method };
}
