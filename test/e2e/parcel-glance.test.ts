import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { byId, elementsOf, parseXml, textOf } from '../support/xml.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);
beforeAll(async () => ana.signIn(await newUser(db)));

/** Has a sale of its own among its comps. Deed and map differ by 5%. */
const SOLD = 3301900000073;
/** Deed and map differ by more than a factor of 1.5. */
const MISMATCH = 3301900000044;

const textOfPage = (html: string) =>
  html
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
const open = async (id: number) => {
  const { status, text } = await ana.open(`/data?parcel=${id}`);
  expect(status).toBe(200);
  return text;
};
const set = (id: number, values: string) =>
  db.pool.query(`update parcels set ${values} where fips = 33019 and property_id = $1`, [id]);

describe('a parcel at a glance', () => {
  test("shows neither Plat's id nor the same acreage twice", async () => {
    const words = textOfPage(await open(SOLD));
    expect(words).not.toContain(String(SOLD));
    expect(words.match(/\b5\.2 ac\b/g)).toHaveLength(1); // Its own sale is only in tables of comps.
    expect(words).not.toMatch(/\b5\.2 acres\b/);
  });

  test.each([
    ['differs by 5%', SOLD, 4.94, false],
    ['differs by more than a factor of 1.5', MISMATCH, 2.08, true],
  ])('the map %s from the deed, and a note says so', async (_what, id, measured, isWarning) => {
    const [, kind, figure] = /<span( class="warn")? data-measured="([\d.]+)"/.exec(await open(id))!;
    expect(Number(figure)).toBeCloseTo(measured, 1);
    expect(kind !== undefined).toBe(isWarning);
  });

  test('the map is as large as the deed says: no note', async () => {
    await set(SOLD, 'acres = calculated_acres * 1.01');
    expect(await open(SOLD)).not.toContain('data-measured');
    await set(SOLD, 'acres = 5.2');
  });

  test("marks the parcel's own sale once", async () => {
    const html = await open(SOLD);
    const marked = html.split('<li>').filter(line => line.includes('own-sale'));
    expect(marked.some(line => line.includes('$14,000'))).toBe(true);
    expect(await open(MISMATCH)).not.toContain('own-sale');
  });

  test.each([
    ['land only', [33_000, 33_000, 0], true, ['$33,000', 'land $33,000', 'no buildings']],
    ['a house', [150_400, 49_600, 100_800], false, ['$150,400', 'land $49,600', 'buildings $100,800']],
    ['vacant with a shed', [8_766, 6_866, 1_900], true, ['$8,766', 'land $6,866', 'improvements $1,900']],
    ['a house that is not assessed', [500, 500, 0], false, ['$500', 'land $500', 'not assessed']],
    ['a total that is not the sum', [900, 500, 300], false, ['$900', 'land $500', 'buildings $300', 'sum']],
    ['no total', [null, 500, 300], false, ['$800', 'land $500', 'buildings $300']],
    ['only a total', [900, null, null], false, ['$900']],
  ])('an assessment in one line: %s', async (_what, [total, land, built], vacant, parts) => {
    await set(
      SOLD,
      `assessed_total_value = ${total}, assessed_land_value = ${land}, assessed_improvement_value = ${built}, vacant = ${vacant}`,
    );
    const html = await open(SOLD);
    const [, line] = /data-assessment="assessed">([\s\S]*?)<\/div>/.exec(html)!;
    for (const part of parts) expect(textOfPage(line!)).toContain(part);
    // Nowhere else on the page.
    if (built) expect(html.split(`$${built.toLocaleString('en-US')}`)).toHaveLength(2);
  });

  test('vacant land with a class code of a house says both in one place', async () => {
    await set(SOLD, 'vacant = true');
    const html = await open(SOLD);
    expect(html.split('1F RES')).toHaveLength(2);
    expect(/<b>Vacant<\/b><span>([^<]*)/.exec(html)![1]).toContain('1F RES');
  });

  test('has one picture, a map with the lengths of the sides, because no aerial imagery is loaded', async () => {
    const html = await open(SOLD);
    const pictures = html.match(/<img [^>]*>/g)!;
    expect(pictures).toHaveLength(1);
    expect(pictures[0]).toContain(`/data/drawing/${SOLD}-map.svg`);
    const { status, text, headers } = await ana.open(`/data/drawing/${SOLD}-map.svg`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('image/svg+xml');
    const svg = parseXml(text);
    const feet = elementsOf(byId(svg, 'sides'))
      .filter(({ name }) => name === 'text')
      .map(label => Number(textOf(label).replace(/\D/g, '')));
    expect(feet.toSorted((a, b) => b - a)).toEqual([791, 780, 310, 236]);
    expect(text).not.toContain(String(SOLD));
    expect(text).not.toMatch(/owner|DARROW|ELLERY/i);
  });

  test('has a map of its buildable land, with an area for each reason', async () => {
    const { status, text } = await ana.open(`/data/drawing/${SOLD}-buildable.svg`);
    expect(status).toBe(200);
    const areas = elementsOf(byId(parseXml(text), 'unbuildable'));
    expect(areas.flatMap(({ attributes }) => attributes['data-reason'] ?? [])).toEqual([
      'steep',
      'water',
      'flood_zone',
      'wetlands',
    ]);
    expect(text).not.toContain(String(SOLD));
    expect(text).not.toMatch(/owner|DARROW|ELLERY/i);
    expect((await ana.open('/data/drawing/3301999999999-buildable.svg')).status).toBe(404);
  });

  test('shows which layers are missing, instead of buildable acres', async () => {
    const html = await open(SOLD);
    expect(html).toContain('id="buildable"');
    expect(html).not.toContain(`${SOLD}-buildable.svg`);
  });

  test('has no picture without a boundary or after it left the roll', async () => {
    await set(SOLD, 'retired_at = now()');
    expect((await ana.open(`/data/drawing/${SOLD}-map.svg`)).status).toBe(404);
    await set(SOLD, 'retired_at = null');
    expect((await ana.open('/data/drawing/3301999999999-map.svg')).status).toBe(404);
  });
});
