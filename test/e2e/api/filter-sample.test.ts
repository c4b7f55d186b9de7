import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { FILTER_EXAMPLE } from '../../../api/v1/examples/examples.ts';
import { decodeBoundary } from '../../../shared/geo/codec.ts';
import { intersects, prepareQuery } from '../../../shared/geo/intersects.ts';
import type { MultiPolygon } from '../../../shared/geo/types.ts';
import { sampleDir } from '../../../workers/feeds/dirs.ts';
import { loadFeed } from '../../../workers/feeds/load.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingest, insertRegions } from '../../support/ingest.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);

beforeAll(async () => {
  await insertRegions(db.pool, [
    { type: 'county', code: '33019', state: 'NH', fips: 33019 },
    { type: 'county', code: '23019', state: 'ME', fips: 23019 },
    { type: 'zip', code: '03280', state: 'NH', fips: 33019 },
  ]);
  for (const name of ['washington-nh', 'bangor-me'])
    await ingest(db.pool, await loadFeed(join(sampleDir, `${name}.yaml`)));
});

type Found = {
  count: number;
  results: { property_id: number; acres: number | null; effective_acres: number | null }[];
};

async function filter(body: object): Promise<Found> {
  const reply = await api.call(`${PATH}?page_size=500`, posting(key, JSON.stringify(body)));
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json as Found;
}

test('the example of the documentation is what the bundled sample answers', async () => {
  expect(await filter(FILTER_EXAMPLE.request)).toEqual(FILTER_EXAMPLE.response);
});
test('a parcel is found by the acreage that it shows', async () => {
  const { results } = await filter({ county: '23019' });
  const measured = results.filter(row => row.acres === null).slice(0, 10);
  expect(measured).toHaveLength(10);
  for (const { property_id, effective_acres } of measured) {
    const body = { county: '23019', acres_min: effective_acres, acres_max: effective_acres, property_id };
    expect((await filter(body)).count, `parcel ${property_id}`).toBe(1);
  }
});

/** Every boundary of the sample. */
async function boundaries(): Promise<{ id: number; boundary: MultiPolygon }[]> {
  const { rows } = await db.pool.query<{ property_id: number; boundary: Buffer }>(
    'select property_id, boundary from parcels where retired_at is null and boundary is not null order by 1',
  );
  return rows.map(row => ({ id: row.property_id, boundary: decodeBoundary(row.boundary) }));
}

function wkt(polygons: MultiPolygon): string {
  const text = polygons.map(
    rings => `(${rings.map(ring => `(${ring.map(([lon, lat]) => `${lon} ${lat}`).join(', ')})`).join(', ')})`,
  );
  return `MULTIPOLYGON (${text.join(', ')})`;
}

test('parcels as query shapes find themselves and their neighbours, as testing every boundary does', async () => {
  const all = await boundaries();
  let neighbours = 0;
  // Prime steps through both towns.
  for (let at = 0; at < all.length; at += 1_009) {
    const { id, boundary } = all[at]!;
    const query = prepareQuery({ points: [], lines: [], polygons: boundary });
    const expected = all.filter(other => intersects(query, other.boundary)).map(other => other.id);
    const found = (await filter({ geom_intersects: wkt(boundary) })).results.map(row => row.property_id);
    expect(found, `parcel ${id}`).toEqual(expected);
    expect(found).toContain(id);
    neighbours += found.length - 1;
  }
  expect(neighbours).toBeGreaterThan(20);
});
