import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** What is smaller fits a packet as it is. */
const LEAST_BYTES = 1_000;

/** About as small as gzip's usual level, in a third of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const ENCODERS: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: body => promisify<Buffer, object, Buffer>(brotliCompress)(body, BROTLI),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** The encoding that Accept-Encoding weighs most, br of equals; undefined where it asks for neither (RFC 9110 section 12.5.3). */
export function encodingFor(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim());
    const q = parameters
      .map(text => /^q=(\d(?:\.\d{0,3})?)$/.exec(text)?.[1])
      .find(text => text !== undefined);
    weights.set(name, q === undefined ? 1 : Number(q));
  }
  const weigh = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = weigh('br') >= weigh('gzip') ? 'br' : 'gzip';
  return weigh(best) > 0 && weigh(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

/** The body as the client would rather have it; small ones are left alone. */
export async function compressed(
  body: Buffer,
  acceptEncoding: string | undefined,
): Promise<{ bytes: Buffer; encoding?: Encoding }> {
  const encoding = body.length < LEAST_BYTES ? undefined : encodingFor(acceptEncoding);
  return encoding === undefined ? { bytes: body } : { bytes: await ENCODERS[encoding](body), encoding };
}
