import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { beforeAll, expect, test } from 'vitest';
import { encodeBoundary, encodeLines, toE7 } from '../../shared/geo/geometry-codec.ts';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertRegions } from '../support/ingest.ts';
import { figuresOf, overlayOf, putOverlays } from '../support/overlays.ts';
import { insertParcels, square } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
const id = (n: number) => 33_019e8 + n;
const CENTER: Position = [-72.1, 43.2];
const ZONING = { ...overlayOf('zoning', ['house', 'shop'], 500), label: 'Town <zoning>', note: 'A <guess>.' };
const POWER = overlayOf('power', ['power'], 1000);
const ana = visitor(api);
const open = async (path: string) => (await ana.open(path)).text;

beforeAll(async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  await insertParcels(
    db.pool,
    [1, 2].map(n => ({ property_id: id(n), boundary: square(CENTER[0] + n * 0.002, CENTER[1]), acres: 10 })),
  );
  await db.pool.query('update parcels set shape_hash = gen_random_uuid()');
  await db.pool.query(
    'insert into parcel_attributes (fips, property_id, shape_hash) select fips, property_id, shape_hash from parcels',
  );
  await putOverlays(
    db.pool,
    [ZONING, { ...POWER, numbers: [{ name: 'volts', label: 'Voltage', unit: 'kV' }] }],
    [
      figuresOf(id(1), 'zoning', { house: 75, shop: 20.4 }, { nearest_ft: 0, nearest_name: 'Village' }),
      figuresOf(id(1), 'power', {}, { nearest_ft: 250.5, numbers: { volts: 115 } }),
      figuresOf(id(2), 'zoning', { shop: 30 }),
    ],
  );
  const box = (...at: Position[]) =>
    `(${Math.max(...at.map(([x]) => toE7(x)))},${Math.max(...at.map(([, y]) => toE7(y)))}),(${Math.min(...at.map(([x]) => toE7(x)))},${Math.min(...at.map(([, y]) => toE7(y)))})`;
  const area = square(...(CENTER as [number, number]), 0.01);
  const line: Position[] = [CENTER, [CENTER[0] + 0.01, CENTER[1]]];
  const features: [object, string, Uint8Array][] = [
    [{ zoning: 'shop' }, box(...area[0]![0]!), encodeBoundary(area)],
    [{ power: 'power' }, box(...line), encodeLines([line])],
    [{ power: 'power' }, box(CENTER), encodeLines([[CENTER]])],
  ];
  for (const [overlays, extent, geometry] of features)
    await db.pool.query(
      `insert into layer_features (feed_id, hash, class, overlays, extent, geometry)
       select id, gen_random_uuid(), 'any', $1, $2, $3 from feeds where kind = 'overlay'`,
      [JSON.stringify(overlays), extent, Buffer.from(geometry)],
    );
  await ana.signIn(await newUser(db));
});

const section = (text: string, name: string) =>
  new RegExp(`<section data-overlay="${name}">(.*?)</section>`, 's').exec(text)?.[1];

test("a parcel's page shows its overlays", async () => {
  const text = await open(`/data?parcel=${id(1)}`);
  const zoning = section(text, 'zoning')!;
  expect([...zoning.matchAll(/data-class="(\w+)"/g)].map(([, name]) => name)).toEqual(['house', 'shop']);
  expect(zoning).toMatch(/Town &lt;zoning.*Class house.*75%.*20\.4%.*Village.*class="note">A &lt;guess/s);
  expect(section(text, 'power')).toMatch(/251 ft.*Voltage.*115 kV/s);
  expect(section(text, 'power')).not.toContain('class="note"');
  const other = await open(`/data?parcel=${id(2)}`);
  expect(section(other, 'zoning')).toMatch(/30%.*500 ft/s);
  expect(section(other, 'power')).toBeUndefined();
});

const count = (text: string) => Number(/<output id="count">([\d,]+)/.exec(text)?.[1]);
const chips = (text: string) =>
  [...text.matchAll(/class="chip" aria-label="Remove ([^"]*)"/g)].map(([, words]) => words);

test('the form filters by overlays, with a chip that removes them', async () => {
  const query =
    'county=33019&overlay.zoning.classes=house&overlay.zoning.classes=shop&overlay.zoning.percent_min=90';
  const text = await open(`/data?${query}&overlay.power.distance_ft_max=`);
  expect(count(text)).toBe(1);
  expect(chips(text)).toHaveLength(1);
  expect(chips(text)[0]).toMatch(/zoning.*house, shop.*90%/);
  expect(text).toMatch(/name="overlay\.zoning\.classes" value="shop" checked/);
  expect(text).toContain('value="90"');
  const without = /<a href="([^"]*)" class="chip"/.exec(text)![1]!.replaceAll('&amp;', '&');
  expect(count(await open(without))).toBe(2);
  expect(count(await open('/data?county=33019&overlay.power.distance_ft_max=300'))).toBe(1);
  expect(await open('/data?county=33019&overlay.zoning.percent_min=much')).toContain('percent_min');
});

test('a saved search keeps its overlays', async () => {
  const query = 'county=33019&overlay.zoning.classes=shop&overlay.zoning.percent_max=25';
  const form = await open(`/searches?${query}`);
  expect(form).toMatch(/value="[^"]*zoning: shop, up to 25%"/);
  const filter = /name="filter" value="([^"]*)"/.exec(form)![1]!;
  const fields = { name: 'shops', notify: 'none', filter: filter.replaceAll('&quot;', '"') };
  expect((await ana.submit('/searches', fields)).status).toBe(303);
  const { rows } = await db.pool.query<{ filter: unknown }>('select filter from searches');
  expect(rows[0]?.filter).toMatchObject({
    overlays: [{ name: 'zoning', classes: ['shop'], percent_max: 25 }],
  });
});

test('the map has a layer with a legend for each overlay', async () => {
  const text = await open('/data?county=33019');
  expect(text).toContain('data-overlays="zoning power"');
  expect(text).toMatch(/data-layer="overlay-zoning".*Class house.*Class shop.*data-layer="overlay-power"/s);
  const { kinds } = JSON.parse(await open('/data/credits?box=-72.2,43.1,-72,43.3&layers=overlay-zoning'));
  expect(kinds).toEqual(expect.arrayContaining(['overlay-zoning', 'overlay-power']));
  expect(JSON.parse(await open('/data/credits?box=-80,30,-79,31')).kinds).toEqual([]);
});

async function tileOf(name: string) {
  const z = 14;
  const x = Math.floor(((CENTER[0] + 180) / 360) * 2 ** z);
  const sine = Math.sin((CENTER[1] * Math.PI) / 180);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
  const reply = await fetch(`${api.url}/tiles/overlay-${name}/${z}/${x}/${y}.mvt`, {
    headers: { Cookie: ana.cookie! },
  });
  expect(reply.status).toBe(200);
  const layer = new VectorTile(new PbfReader(new Uint8Array(await reply.arrayBuffer()))).layers.overlay;
  return Array.from({ length: layer?.length ?? 0 }, (_, i) => {
    const { type, properties } = layer!.feature(i);
    return [type, properties.class, properties.color];
  });
}

test('tiles have areas, lines, and points with the colors of their classes', async () => {
  expect(await tileOf('zoning')).toEqual([[3, 'shop', ZONING.classes[1]!.color]]);
  expect(await tileOf('power')).toEqual(
    expect.arrayContaining([
      [2, 'power', POWER.classes[0]!.color],
      [1, 'power', POWER.classes[0]!.color],
    ]),
  );
  expect(await tileOf('sewer')).toEqual([]);
});

/** The legend's classes as words, swatch, and count. */
async function legendOf(color: string) {
  const text = await open(`/data?county=33019&color=${color}`);
  const legend = /<details id="legend".*?<\/ul>/s.exec(text)![0];
  return [
    ...legend.matchAll(/<li>(?:<i class="swatch (\w+)"|<svg.*?fill="(#\w+)").*?<span>(.*?)<\/span><b>(\d+)/g),
  ]
    .map(([, name, hex, words, count]) => [words, name ?? hex, Number(count)])
    .filter(([words]) => words !== 'Parcels');
}

test('an overlay colors parcels by class, distance, share, or number', async () => {
  const [house, shop] = ZONING.classes.map(({ color }) => color);
  expect(await legendOf('overlay.zoning')).toEqual([
    ['Class house', house, 1],
    ['Class shop', shop, 1],
  ]);
  expect(await legendOf('overlay.zoning.distance_ft')).toMatchObject([
    [expect.any(String), 'q2', 1],
    [expect.any(String), 'q4', 1],
  ]);
  // The second parcel isn't covered by the overlay, and the first has no area in it.
  expect(await legendOf('overlay.power')).toMatchObject([
    [expect.any(String), 'q1', 1],
    ...Array(4).fill([expect.any(String), expect.any(String), 0]),
    ['Unknown', 'none', 1],
  ]);
  expect(await legendOf('overlay.power.volts')).toMatchObject([
    ...Array(1).fill([expect.any(String), expect.any(String), 0]),
    [expect.any(String), expect.any(String), 1],
    ['Unknown', 'none', 1],
  ]);
  const list = await open('/data?county=33019&color=overlay.zoning');
  expect(list).toContain(`<rect width="10" height="10" fill="${house}"/>`);
  expect(list).toMatch(/data-colors="[^"]*#/);
});
