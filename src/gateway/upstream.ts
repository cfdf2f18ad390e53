import { z } from 'zod';
import type { ProtocolName } from './protocol.js';

/** The vendors whose protocols are spoken. */
export const VENDORS = ['anthropic', 'openai', 'gemini'] as const;

/** One of {@link VENDORS}. */
export type Vendor = (typeof VENDORS)[number];

/** Whose protocol it is. */
export function vendorOf(protocol: ProtocolName): Vendor {
  switch (protocol) {
    case 'anthropic-messages': return 'anthropic';
    case 'openai-responses':
    case 'openai-chat': return 'openai';
    case 'gemini': return 'gemini';
  }
}

/** A model service that requests are passed on to. All of it is a secret. */
export interface Upstream {
  /** `http:` or `https:`; without query and fragment. */
  readonly baseUrl: string;
  /** Set on every request, whatever the client sent. The key is among them. Values of `anthropic-beta` are added to the client's. */
  readonly headers: Readonly<Record<string, string>>;
  /** What of all this must be told to nobody: it is replaced where a service tells it back. Default: nothing. */
  readonly secrets?: readonly string[];
  /** `http:` or `https:` URL of the proxy on the way. Absent: none. */
  readonly proxy?: string;
  /** Certificates that are trusted besides the well-known ones, as PEM. */
  readonly ca?: string;
}

/** A service for each vendor that may be asked. */
export type Upstreams = { readonly [vendor in Vendor]?: Upstream };

const httpUrl = z.url({ protocol: /^https?$/ }).max(2_000);
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/);
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,16384}$/);

const upstreamSchema: z.ZodType<Upstream> = z.strictObject({
  baseUrl: httpUrl,
  headers: z.record(headerName, headerValue),
  secrets: z.array(z.string().min(1).max(16_384)).max(1_000).readonly().exactOptional(),
  proxy: httpUrl.exactOptional(),
  ca: z.string().max(4_000_000).exactOptional(),
});

/** Accepts {@link Upstreams}. */
export const upstreamsSchema: z.ZodType<Upstreams> = z.strictObject({
  anthropic: upstreamSchema.exactOptional(),
  openai: upstreamSchema.exactOptional(),
  gemini: upstreamSchema.exactOptional(),
});

/**
 * Where a request of a client goes. By custom the base of OpenAI ends with its version (`https://api.openai.com/v1`) and those of the
 * others stop before it; a base of OpenAI without a path, and one of the others with the version, are understood too. The key that a
 * Gemini client puts into the query is left out.
 *
 * @param target Path and query, as the client asked.
 */
export function upstreamUrl(vendor: Vendor, baseUrl: string, target: string): URL {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const [path = '', query = ''] = splitOnce(target.replace(/#[^]*$/, ''), '?');
  const version = /^\/v1(?:beta|alpha)?(?=\/|$)/.exec(path)?.[0] ?? '';
  const isNamed = vendor === 'openai' ? prefix !== '' : version !== '' && prefix.endsWith(version);
  const url = new URL(base.origin);
  url.pathname = prefix + (isNamed ? path.slice(version.length) : path);
  const kept = query.split('&').filter((part) => part !== '' && !isKey(part));
  url.search = kept.length === 0 ? '' : `?${kept.join('&')}`;
  return url;
}

function isKey(part: string): boolean {
  const [[name]] = [...new URLSearchParams(part), ['']] as const;
  return name.toLowerCase() === 'key';
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
