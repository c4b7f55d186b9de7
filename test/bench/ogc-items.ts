import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { request } from 'undici';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import { loadSample } from '../support/sample.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { alternate, inMs } from './filter.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const SIZE = 500;
const MAX_RATIO = 1.3;
const COUNTY = '33019';

/** GIS programs ask for gzip, and browsers for br. */
const DECODERS = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  br: promisify<Buffer, Buffer>(brotliDecompress),
  identity: async (bytes: Buffer) => bytes,
};
type Encoding = keyof typeof DECODERS;

type Sent = { url: string; method?: 'GET' | 'POST'; body?: string };

/**
 * Measures a page of 500 parcels of Washington with their boundaries at /ogc, compared with the same page of
 * properties/filter/, which has no boundaries. These are second pages, because first pages of
 * properties/filter/ have a count. The client doesn't decompress.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async (databaseUrl, pool) => {
    options.note('  ingesting the sample');
    await loadRegions(pool);
    await loadSample(pool);
    const key = await createCaller(pool, 'bench');
    return await withServers(databaseUrl, ['plat'], async ({ plat }) => {
      const { items, json } = await secondPages(plat, key);
      const results: BenchResult[] = [];
      for (const encoding of Object.keys(DECODERS) as Encoding[]) {
        const ms = await alternate(
          () => send(items, key, encoding),
          () => send(json, key, encoding),
          options.quick ? 2 : 200,
        );
        const bytes = (await send(items, key, encoding)).length;
        const referenceBytes = (await send(json, key, encoding)).length;
        results.push(
          judged(
            {
              name: `ogc-items: ${SIZE} parcels with boundaries, ${encoding}`,
              reference: 'the same parcels of properties/filter/, without boundaries',
              value: ms.work / ms.reference,
              unit: 'x',
              details: { ...inMs(ms), bytes, 'reference bytes': referenceBytes },
            },
            { most: MAX_RATIO },
          ),
        );
      }
      return results;
    });
  });
}

async function send({ url, method = 'GET', body }: Sent, key: string, encoding: Encoding): Promise<Buffer> {
  const reply = await request(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'accept-encoding': encoding,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const bytes = Buffer.from(await reply.body.arrayBuffer());
  if (reply.statusCode !== 200) throw new Error(`${url} returned ${reply.statusCode}: ${bytes.toString()}`);
  return bytes;
}

/** The two pages. @throws Error if they have different parcels, because the times would mean nothing */
async function secondPages(plat: string, key: string): Promise<{ items: Sent; json: Sent }> {
  const read = async (sent: Sent, encoding: Encoding = 'identity') =>
    JSON.parse((await DECODERS[encoding](await send(sent, key, encoding))).toString());
  const here = (url: string): string => plat + new URL(url).pathname + new URL(url).search;

  const first: Sent = {
    url: `${plat}/api/public/v1/properties/filter/?page_size=${SIZE}`,
    method: 'POST',
    body: JSON.stringify({ county: COUNTY }),
  };
  const json = { ...first, url: here((await read(first)).next) };
  const filter = encodeURIComponent(`county = '${COUNTY}'`);
  const { links } = await read({
    url: `${plat}/ogc/collections/parcels/items?limit=${SIZE}&filter=${filter}`,
  });
  const items = { url: here(links.find(({ rel }: { rel: string }) => rel === 'next').href) };

  const ids = (await read(json)).results.map((row: { property_id: number }) => row.property_id);
  for (const encoding of Object.keys(DECODERS) as Encoding[]) {
    const { features } = await read(items, encoding);
    const found = features.map(({ id }: { id: number }) => id);
    if (found.length !== SIZE || found.join() !== ids.join())
      throw new Error(`The pages have different parcels: ${found.length} and ${ids.length}.`);
  }
  return { items, json };
}
