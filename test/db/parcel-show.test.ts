import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { MultiPolygon, Position, Ring } from '../../shared/kernels/geometry/types.ts';
import { LAND_KERNELS } from '../../workers/attributes/kernels.ts';
import { main } from '../../workers/cli/main.ts';
import { readTileHeader } from '../../workers/elevation/header.ts';
import { collectParcel } from '../../workers/parcel-drawing/collect.ts';
import { notesOf } from '../../workers/parcel-drawing/panel.ts';
import { createTestDatabase } from '../support/database.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { markParcels, putLayer } from '../support/land.ts';
import { insertParcels, retireParcels } from '../support/parcels.ts';
import { byId, elementsOf, parseXml, textOf, type Xml } from '../support/xml.ts';
import { COUNTY, EVERYWHERE, LAT, LON, settle } from './attributes-support.ts';

// Drawn in metres, north up:
//
//  [  B, with a hole H ]  ══ highway, y = 200, through B ══    [B's second part]
//  │ road, x = -10
//  │ [A][N]
//  ───── local road, y = -8 ─────
const folder = mkdtempSync(join(tmpdir(), 'plat-show-'));
const db = await createTestDatabase();
const { pool } = db;
afterAll(() => rmSync(folder, { recursive: true }));

const [ACROSS_M, UP_M] = [81_268, 111_096];
const FT = 1 / 0.3048;
const at = (x: number, y: number): Position => [LON + x / ACROSS_M, LAT + y / UP_M];
const ring = (west: number, south: number, east: number, north: number): Ring => [
  at(west, south),
  at(east, south),
  at(east, north),
  at(west, north),
  at(west, south),
];
const [A, B, N, SHAPELESS, RETIRED, LARGE, UNKNOWN] = [1, 2, 3, 4, 5, 6, 7].map(n => COUNTY + n) as [
  ...[number, number, number, number, number, number, number],
];
const NASTY = `<script>"O'Brien" & Söhne</script>`;
const SHAPES: Record<number, MultiPolygon> = {
  [A]: [[ring(0, 0, 60, 80)]],
  [B]: [[ring(-200, 140, 200, 320), ring(-150, 220, -100, 260).toReversed()], [ring(300, 120, 350, 170)]],
  [N]: [[ring(60, 0, 120, 80)]],
  // 340 by 330 cells of the grid.
  [LARGE]: [[ring(-850, -2000, 850, -350)]],
  [RETIRED]: [[ring(400, 0, 450, 50)]],
};
const LOCAL = { class: 'local', line: [at(-300, -8), at(500, -8)] } as const;
const ROAD = { class: 'normal', line: [at(-10, -300), at(-10, 80)] } as const;
const HIGHWAY = { class: 'highway', line: [at(-400, 200), at(600, 200)] } as const;
const putRoads = (...features: (typeof LOCAL | typeof ROAD | typeof HIGHWAY)[]) =>
  putLayer(pool, 'roads', {
    coverage: EVERYWHERE,
    features: features.map(({ class: name, line }) => ({ class: name, line: [...line] })),
  });

/** Flat up to x = 30, from there a slope of 20 % to the east. */
async function putHeights(): Promise<void> {
  const source = join(folder, 'heights.tif');
  const [originX, originY] = at(-900, 400);
  writeTiff(source, {
    width: 370,
    height: 490,
    at: column => 100 + Math.max(0, 5 * (column + 0.5) - 900 - 30) * 0.2,
    grid: { originX, originY, stepX: 5 / ACROSS_M, stepY: -5 / UP_M },
    keys: geographicKeys(4326),
  });
  await putLayer(pool, 'elevation', { coverage: EVERYWHERE });
  const { extent, ...tile } = await readTileHeader(source, {}, { signal: new AbortController().signal });
  const [west, south, east, north] = extent.map(degrees => Math.round(degrees * 1e7));
  await pool.query(
    `insert into elevation_tiles
     select f.id, $1, $2, $3::box, $4, $5, $6, $7, $8, $9, $10, $11, $12 from feeds f where f.name = 'elevation'`,
    [
      ...[source, tile.fingerprint, `(${west},${south}),(${east},${north})`, tile.width, tile.height],
      ...[tile.originX, tile.originY, tile.stepX, tile.stepY, tile.crs, tile.unitM, tile.nodata],
    ],
  );
}

beforeAll(async () => {
  await pool.query(`insert into feeds (name, kind, definition) values ('lots', 'assessor', '{}')`);
  await pool.query("insert into runs (feed_id, requested_by, status) values (1, 'test', 'merged')");
  await pool.query(
    `insert into regions (id, type, code, name, state, county_name, fips)
     values (gen_random_uuid(), 'county', '33019', 'Sullivan', 'NH', 'Sullivan', 33019)`,
  );
  await insertParcels(pool, [
    ...[A, B, N, LARGE, RETIRED].map(id => ({
      ...{ property_id: id, boundary: SHAPES[id]!, shape_hash: String(id % 1e8).padStart(32, '0') },
      ...{
        apn: id === N ? `N<&">` : `14-${id % 1e8}`,
        owner_name: NASTY,
        acres: 1.2,
        situs_address: '1 A & B ST',
      },
    })),
    { property_id: SHAPELESS, apn: 'no map' },
  ]);
  await retireParcels(pool, [RETIRED]);
  await putHeights();
  await putRoads(LOCAL, ROAD, HIGHWAY);
  await putLayer(pool, 'wetlands', {
    coverage: EVERYWHERE,
    features: [{ class: 'PFO1<E>', shape: [[ring(45, -100, 1000, 1000)]] }],
  });
  await putLayer(pool, 'flood', {
    coverage: EVERYWHERE,
    features: [{ class: 'AE', shape: [[ring(-100, -100, 100, 20)]] }],
  });
  await markParcels(pool, ['elevation', 'roads', 'wetlands', 'flood']);
  await settle(pool, LAND_KERNELS);
});

/** `plat parcel show`, run in this process. */
async function show(...argv: (string | number)[]): Promise<{ code: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const catching = (name: 'out' | 'err') => (chunk: string | Uint8Array) => {
    text[name] += chunk;
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(catching('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(catching('err')),
  ];
  const before = process.env;
  process.env = { PATH: before.PATH, DATABASE_URL: db.url, PLAT_DIR: folder };
  try {
    return { code: await main(['parcel', 'show', ...argv.map(String)]), ...text };
  } finally {
    process.env = before;
    for (const spy of spies) spy.mockRestore();
  }
}

async function drawn(id: number): Promise<{ svg: Xml; text: string; out: string }> {
  const file = join(folder, `${id}.svg`);
  const { code, out, err } = await show(id, '--svg', file);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const text = readFileSync(file, 'utf8');
  return { svg: parseXml(text), text, out };
}

const shapesIn = (xml: Xml) => elementsOf(xml).filter(({ name }) => name === 'path');

/** Lengths of the highlighted stretches in feet, by class: as they say, and as they are drawn, to the scale of the drawing. */
function frontageDrawn(svg: Xml) {
  const metresPerPx = Number(svg.attributes['data-metres-per-px']);
  const sums: Record<string, { said: number; drawn: number }> = {};
  for (const { attributes } of shapesIn(byId(svg, 'frontage'))) {
    const points = [...attributes.d!.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(
      ([, x, y]) => [+x!, +y!] as const,
    );
    const px = points
      .slice(1)
      .reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i]![0], y - points[i]![1]), 0);
    const name = attributes['data-class']!;
    const sum = sums[name] ?? { said: 0, drawn: 0 };
    sums[name] = sum;
    sum.said += Number(attributes['data-ft']);
    sum.drawn += Number(attributes['data-sides']) * px * metresPerPx * FT;
  }
  return sums;
}

/** The frontage that the printed table states. */
function frontageStated(out: string): Record<string, number> {
  const [, highway, normal, local] =
    /frontage\s+highway ([\d.]+) ft, road ([\d.]+) ft, local road ([\d.]+) ft/.exec(out)!;
  return { highway: Number(highway), normal: Number(normal), local: Number(local) };
}

describe('a drawing', () => {
  test.each([
    ['a corner lot', A, { highway: 0, normal: 80 * FT, local: 60 * FT }],
    // The highway counts on two sides, and for the second part in front of which it lies.
    ['a parcel that a highway runs through', B, { highway: (2 * 400 + 50) * FT, normal: 0, local: 0 }],
  ])('%s: what is highlighted is as long as the table says', async (_what, id, expected) => {
    const { svg, out } = await drawn(id);
    const stated = frontageStated(out);
    for (const name of ['highway', 'normal', 'local'] as const) {
      expect(stated[name]).toBeCloseTo(expected[name], -1);
      const { said, drawn: length } = frontageDrawn(svg)[name] ?? { said: 0, drawn: 0 };
      expect(said).toBeCloseTo(stated[name]!, 0);
      expect(Math.abs(length - stated[name]!)).toBeLessThan(0.005 * stated[name]! + 0.5);
      expect(textOf(byId(svg, `frontage-${name}`)).replace(',', '')).toContain(
        `${stated[name]!.toFixed(1)} ft`,
      );
    }
    expect(out).not.toContain('out of date');
  });

  test('shows the ground: slope, wetlands, flood zones, roads, the parcels around', async () => {
    const { svg, out } = await drawn(A);
    const colours = shapesIn(byId(svg, 'slope')).map(({ attributes }) => attributes.fill);
    // Flat, and 20 percent, which the metres of a degree may put on either side of the grade of 20.
    expect(colours).toContain('#1a9850');
    expect(colours.some(colour => colour === '#fed47f' || colour === '#fdae61')).toBe(true);
    expect(textOf(byId(svg, 'wetlands'))).toBe('wetlands PFO1<E>');
    expect(textOf(byId(svg, 'flood'))).toBe('flood zone AE');
    expect(textOf(byId(svg, 'wetlands-percent'))).toContain('25.0 %');
    expect(textOf(byId(svg, 'flood-percent'))).toContain('25.0 %');
    expect(out).toMatch(/wetlands\s+25\.0 % of the area\n\s+flood zone\s+25\.0 % of the area/);
    expect(shapesIn(byId(svg, 'roads')).map(({ attributes }) => attributes['data-class'])).toEqual([
      'local',
      'normal',
    ]);
    expect(textOf(byId(svg, 'road-names'))).toContain('local road');
    expect(textOf(byId(svg, 'neighbours'))).toContain(`${N}, APN N<&">`);
    expect(textOf(byId(svg, 'north'))).toBe('N');
    const bar = byId(svg, 'scale-bar');
    expect(textOf(bar)).toBe(`${bar.attributes['data-ft']} ft`);
  });

  test('shows parts and holes', async () => {
    const { svg } = await drawn(B);
    expect(byId(svg, 'boundary').attributes.d!.match(/M/g)).toHaveLength(3);
  });

  test('names the parcel, its text kept from being markup, and loads nothing', async () => {
    const { svg, text } = await drawn(A);
    const panel = textOf(byId(svg, 'panel'));
    for (const words of [`Parcel ${A}`, 'APN 14-1', 'Sullivan, NH (33019)', NASTY, '1 A & B ST'])
      expect(panel).toContain(words);
    const names = new Set(elementsOf(svg).map(({ name }) => name));
    for (const name of ['script', 'image', 'use', 'foreignObject', 'a']) expect(names).not.toContain(name);
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|href|@import|@font-face/,
    );
    expect(Number(svg.attributes.width)).toBeLessThan(2000);
    expect(Number(svg.attributes.height)).toBeLessThan(2000);
  });

  test('is bounded: coordinates do not run far beyond the view', async () => {
    const { svg } = await drawn(A);
    for (const id of ['wetlands', 'flood', 'roads', 'neighbours']) {
      for (const { attributes } of shapesIn(byId(svg, id)))
        for (const [number] of attributes.d!.matchAll(/-?[\d.]+/g))
          expect(Math.abs(+number)).toBeLessThan(1000);
    }
  });
});

describe('a drawing of more than can be shown', () => {
  test('leaves the cells out when there are too many, and says so; the figures count them', async () => {
    const { svg, out } = await drawn(LARGE);
    expect(shapesIn(byId(svg, 'slope'))).toEqual([]);
    const words = 'Slope is not drawn: the parcel covers too many cells of the grid.';
    expect(out).toContain(words);
    expect(textOf(byId(svg, 'panel'))).toContain(words);
    expect(out).toMatch(/mean slope\s+[1-9]/);
  });

  test('leaves the smaller parcels, roads and zones out, and says so', async () => {
    const options = { signal: new AbortController().signal, mostDrawn: 1 };
    const found = await collectParcel(pool, A, options);
    expect(found!.drawn!.surroundings).toMatchObject({
      neighbours: [{ id: B }],
      cut: ['other parcels', 'roads'],
      roads: [{ class: 'local' }],
    });
    const notes = notesOf(found!.drawn!, { differences: [], waiting: false, computedAt: new Date() });
    expect(notes).toEqual(['Only the largest are drawn of the other parcels, roads: there are too many.']);
    // What is computed is not cut.
    expect(found!.drawn!.computed.figures.road_frontage_ft).toBeCloseTo(80 * FT, -1);
  });
});

describe('what is known of a parcel', () => {
  test('is told with the versions that it was computed from', async () => {
    const { code, out } = await show(A);
    expect(code).toBe(0);
    expect(out).toContain(`parcel ${A}, APN 14-1, Sullivan, NH (33019)`);
    expect(out).toContain(NASTY);
    expect(out).toMatch(/landlocked\s+no/);
    expect(out).toMatch(/steeper than\s+0\.5 %: \d/);
    expect(out).toMatch(/roads\s+roads\s+\d+\s.*current/);
  });

  test('as JSON', async () => {
    const { out } = await show(A, '--json');
    const value = JSON.parse(out);
    expect(value).toMatchObject({
      property_id: A,
      fips: '33019',
      owner_name: NASTY,
      land: { landlocked: false, of_boundary: true, wetlands_percent: expect.closeTo(25, 1) },
      waiting: [],
    });
    expect(value.layers.map((layer: { kind: string }) => layer.kind)).toEqual([
      'elevation',
      'roads',
      'wetlands',
      'flood',
    ]);
    expect(value).not.toHaveProperty('drawing');
  });

  test('of ids that are none or were never given: exit code 2', async () => {
    expect(await show(UNKNOWN)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`no parcel ${UNKNOWN}`),
    });
    expect(await show('14-1')).toMatchObject({ code: 2 });
  });

  test('of a parcel that left the roll, which is not drawn', async () => {
    expect((await show(RETIRED)).out).toMatch(/retired\s+left the roll on \d{4}-/);
    const file = join(folder, 'retired.svg');
    expect(await show(RETIRED, '--svg', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('left the roll on'),
    });
    expect(existsSync(file)).toBe(false);
  });

  test('of a parcel without geometry, which is not drawn', async () => {
    expect((await show(SHAPELESS)).out).toMatch(/geometry\s+none/);
    expect(await show(SHAPELESS, '--svg', join(folder, 'none.svg'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no geometry'),
    });
  });

  test('a file that cannot be written', async () => {
    const file = join(folder, 'missing', 'a.svg');
    expect(await show(A, '--svg', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be written: there is no such folder/),
    });
  });
});

test('figures that are stored of what the layers told before: the drawing says so', async () => {
  const before = frontageStated((await show(A)).out);
  await putRoads(LOCAL, HIGHWAY);
  const { svg, out } = await drawn(A);
  // The table has what is stored, the drawing what comes out now.
  expect(frontageStated(out)).toEqual(before);
  expect(frontageDrawn(svg)).not.toHaveProperty('normal');
  const words = new RegExp(
    `out of date \\(.*recompute.*\\): road_frontage_ft ${before.normal!.toFixed(1)}, now 0\\.0`,
  );
  expect(out).toMatch(words);
  expect(textOf(byId(svg, 'panel')).replaceAll(/\s+/g, ' ')).toMatch(words);
  expect(out).toMatch(/roads\s+roads\s+\d+\s.*replaced by run \d+/);

  await markParcels(pool, ['roads']);
  const { out: json } = await show(A, '--json', '--svg', join(folder, 'a.svg'));
  expect(JSON.parse(json)).toMatchObject({
    waiting: ['roads'],
    drawing: {
      computed: { road_frontage_ft: 0 },
      differences: [{ figure: 'road_frontage_ft', computed: 0 }],
    },
  });
  expect((await drawn(A)).out).toContain('To be computed anew: roads.');

  await settle(pool, LAND_KERNELS);
  expect((await drawn(A)).out).not.toContain('out of date');
});
