import { beforeAll, describe, expect, test } from 'vitest';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { figuresOf, overlayOf, putOverlays } from '../support/overlays.ts';
import { ingestSample } from '../support/sample.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const window1 = visitor(api);
/** A parcel with a sale of its own among its comps. */
const OWN_SALE = 3301900000073;
let path: string;

beforeAll(async () => {
  const ana = await newUser(db);
  await window1.signIn(ana);
  const { rows } = await db.pool.query<{ id: string }>(
    'insert into comp_reports (account_id, fips, property_id, wanted_at) values ($1, 33019, $2, now()) returning id',
    [ana.accountId, OWN_SALE],
  );
  path = `/comping/${rows[0]!.id}`;
  await db.pool.query(
    'update parcel_filters set buildable_acres = 4.25 where fips = 33019 and property_id = $1',
    [OWN_SALE],
  );
  await putOverlays(
    db.pool,
    [overlayOf('zoning', ['house'])],
    [figuresOf(OWN_SALE, 'zoning', { house: 80 })],
  );
  await prepareCounty(db.pool, 33_019, new AbortController().signal);
});

describe('a comp report', () => {
  test("marks the parcel's own sale, and shows weights, a legend, the drawing, and a disclaimer", async () => {
    const { text } = await window1.open(path);
    const items = text.match(/<li data-id=[\s\S]*?<\/li>/g)!;
    expect(items.filter(item => item.includes('own-sale'))).toEqual([expect.stringContaining('$14,000')]);
    const weights = items.flatMap(item => /class="weight">([\d.]+)%/.exec(item)?.[1] ?? []).map(Number);
    expect(weights.length).toBeGreaterThan(2);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(100, 0);
    const legend = /id="comp-legend"[\s\S]*?<\/details>/.exec(text)![0];
    const counts = [...legend.matchAll(/<b>(\d+)<\/b>/g)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(items.length);
    expect(text).toContain('id="disclaimer"');
    const [, drawing] = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(text)!;
    const sides = [
      ...Buffer.from(drawing!, 'base64')
        .toString()
        .matchAll(/>([\d,]+) ft</g),
    ].map(([, feet]) => feet);
    expect(sides).toEqual(expect.arrayContaining(['791', '780', '310', '236']));
  });

  test('its facts include buildable acres and overlays', async () => {
    const { text } = await window1.open(path);
    const facts = new Map(
      [...text.matchAll(/<dt>([^<]*)<\/dt>\s*<dd[^>]*>([^<]*)/g)].map(([, name, value]) => [name, value]),
    );
    expect(facts.get('Buildable')).toBe('4.25 ac');
    expect(facts.get('The zoning')).toBe('Class house 80%');
  });

  test('a parcel that has left the roll has no drawing', async () => {
    const retire = (at: string) =>
      db.pool.query(`update parcels set retired_at = ${at} where fips = 33019 and property_id = ${OWN_SALE}`);
    await retire('now()');
    const { text, status } = await window1.open(path);
    expect([status, text.includes('data:image/svg')]).toEqual([200, false]);
    await retire('null');
  });

  test('its map has lakes with their names', async () => {
    await ingestSample(db.pool, 'washington-nh-water');
    const { text } = await window1.open(path);
    expect(text).toContain('class="lake"');
    expect(text).toMatch(/class="lake-name"[^>]*>[A-Z][a-z]+ (Pond|Lake)</);
  });
});
