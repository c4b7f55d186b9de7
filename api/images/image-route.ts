import { Router } from 'express';
import { openReaderLimits } from '../files/reader-limits.ts';
import { answerGet, notFound } from '../http/error-responses.ts';
import { exchangeOf } from '../http/exchange.ts';
import { headersOf, setHeaders } from '../http/headers.ts';
import type { Images } from './images.ts';

/** GET /images/{token}.jpg. Needs no key, because the URL itself is signed. */
export function imagesRouter(images: Images, now: () => Date): Router {
  const router = Router({ caseSensitive: true });
  const readers = openReaderLimits();
  answerGet(router, '/images/:file', async (req, res) => {
    const token = /^(.+)\.jpg$/.exec(req.params.file as string)?.[1] ?? '';
    const named = await images.addresses.read(token, now());
    if (named === undefined) throw notFound('This URL is invalid or has expired. Request the picture again.');
    const leave = readers.enter('address', token);
    if (res.closed) leave();
    else res.once('close', leave);
    const picture =
      (await images.pictures.kept(named.k)) ?? (await images.pictures.ofParcel(named.p)).picture;
    const rest = Math.max(0, Math.floor(named.e - now().getTime() / 1000));
    const headers = [
      ...headersOf(exchangeOf(res)),
      'Content-Type',
      'image/jpeg',
      'Content-Length',
      String(picture.bytes.length),
      'Cache-Control',
      `private, max-age=${rest}`,
      // Pages from other origins can show any picture whose URL they have.
      'Cross-Origin-Resource-Policy',
      'cross-origin',
    ];
    // Set headers one by one, so that the last value of a name wins.
    setHeaders(res, headers);
    res.writeHead(200).end(req.method === 'HEAD' ? undefined : picture.bytes);
  });
  return router;
}
