import { expect, test } from 'vitest';
import { FEW, idIn, MANY, newClient, startTwins, type Twin } from '../support/twins.ts';

/**
 * A client without tokens learns nothing from /ogc: two services that differ in values, owners, and what
 * filters find send it the same bytes, whatever it sends.
 */
const twins = await startTwins();

const cql = (text: string) => `filter=${encodeURIComponent(text)}`;
const FEATURES = [
  `parcels/items?${cql(`county = '${FEW}' AND acres BETWEEN 0 AND 2`)}`,
  `parcels/items?limit=1&${cql(`county = '${FEW}' AND market_total_value BETWEEN 15000 AND 25000`)}`,
  `parcels/items?limit=1000&${cql(`county = '${MANY}' AND market_total_value >= 15000`)}`,
  'parcels/items?bbox=-73,43,-72,44',
  'parcels/items',
  `parcels/items/${idIn(FEW, 3)}`,
  `parcels/items/${idIn(FEW, 99)}`,
  'comps/items?datetime=2026-05-20',
  `comps/items?${cql(`fips = '${String(FEW)}' AND lot_size >= 10`)}`,
  'comps/items/00000000-0000-4000-8000-000000000000',
];
const VARIANTS: RequestInit[] = [
  {},
  { method: 'HEAD' },
  { method: 'OPTIONS' },
  { method: 'POST', body: '{}' },
  { headers: { 'If-None-Match': '*' } },
  { headers: { 'If-None-Match': '"a"' } },
  { headers: { Range: 'bytes=0-1' } },
  { headers: { 'Accept-Encoding': 'gzip' } },
];

const NAMES = [
  'content-length',
  'content-type',
  'etag',
  'content-crs',
  'x-tokens-used',
  'content-range',
  'allow',
];

async function take(twin: Twin, path: string, { headers, ...init }: RequestInit = {}) {
  const reply = await fetch(`${twin.api.url}/ogc/collections/${path}`, {
    ...init,
    headers: { 'Accept-Encoding': 'identity', ...headers, Authorization: `Bearer ${twin.key}` },
  });
  const text = (await reply.text()).replaceAll(twin.api.url, '').replaceAll(/"request_id":"[^"]+"/g, '');
  const shown = NAMES.map(name => reply.headers.get(name));
  return { status: reply.status, text, shown };
}

test('what is sold differs', async () => {
  for (const twin of twins) await newClient(twin, 10_000);
  for (const path of [FEATURES[0]!, FEATURES[1]!, FEATURES[8]!]) {
    const [first, second] = [await take(twins[0], path), await take(twins[1], path)];
    expect([first.status, second.status], path).toEqual([200, 200]);
    expect(second.text, path).not.toBe(first.text);
  }
});

// A full page costs up to 100 tokens, so 3 tokens buy no page of a thousand features.
test.each([0, 3])('a client with %i tokens gets the same from both until it pays', async tokens => {
  for (const twin of twins) await newClient(twin, tokens);
  for (const path of FEATURES) {
    for (const variant of VARIANTS) {
      for (const quote of ['', 'quote=true']) {
        if (tokens > 0) for (const twin of twins) await newClient(twin, tokens);
        const address = quote === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${quote}`;
        const [first, second] = [
          await take(twins[0], address, variant),
          await take(twins[1], address, variant),
        ];
        // What has been paid for may differ.
        if (tokens > 0 && quote === '' && [first, second].some(({ status }) => status === 200)) continue;
        expect(second, `${JSON.stringify(variant)} ${address}`).toEqual(first);
      }
    }
  }
});
