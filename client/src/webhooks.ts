/** The message isn't from Plat, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** A message to a webhook. For a change, `data.read` is the URL that returns the changes. */
export type WebhookMessage = { type: string; timestamp: string; data: Record<string, unknown> };

export type VerifyOptions = {
  /** The webhook's secret, `whsec_…`. Pass both secrets while you rotate it. */
  secret: string | readonly string[];
  /** How far the message's time may be from the time here. Default: 300. */
  toleranceSeconds?: number;
  /** The time here, in ms since 1970. Default: `Date.now()`. */
  now?: number;
};

/** The headers of a `Request`, or of an incoming message in Node. */
export type MessageHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a message's signature and time, as in Standard Webhooks 1.0.
 * @param body the request's body as it arrived, before JSON is parsed
 * @throws WebhookError
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: MessageHeaders,
  { secret, toleranceSeconds = 300, now = Date.now() }: VerifyOptions,
): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const seconds = /^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookError('The webhook-timestamp is too far from the current time.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .flatMap(part => decode(part.slice(3)) ?? []);
  for (const key of await Promise.all([secret].flat().map(importSecret)))
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage;
  throw new WebhookError('No signature matches the secret.');
}

function headerOf(headers: MessageHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string') return value;
  throw new WebhookError(`The header ${name} is missing.`);
}

async function importSecret(secret: string) {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('A webhook secret is whsec_ and base64. Plat shows it when you create the webhook.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Undefined if the text isn't base64. */
function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
