import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readParcelDrawing } from '../../shared/drawing/collect-map.ts';
import { drawingNotes } from '../../shared/drawing/map-panel.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { createTestDatabase } from '../support/database.ts';
import { markParcels } from '../support/land.ts';
import { figuresOf, overlayOf, putOverlays } from '../support/overlays.ts';
import { runCommand } from '../support/plat.ts';
import { byId, elementsOf, parseXml, textOf, type Xml } from '../support/xml.ts';
import { settle } from './attributes-support.ts';
import {
  A,
  B,
  FT,
  fillGround,
  frontageDrawn,
  frontageStated,
  HIGHWAY,
  LARGE,
  LOCAL,
  N,
  NASTY,
  putRoads,
  RETIRED,
  SHAPELESS,
  shapesIn,
  UNKNOWN,
} from './parcel-show-support.ts';

const db = await createTestDatabase();
const { folder, pool } = db;

beforeAll(() => fillGround(pool, folder));

const show = (...argv: (string | number)[]) =>
  runCommand({ DATABASE_URL: db.url, PLAT_DIR: folder }, ['parcel', 'show', ...argv.map(String)]);

async function drawn(id: number): Promise<{ svg: Xml; text: string; out: string }> {
  const file = join(folder, `${id}.svg`);
  const { code, out, err } = await show(id, '--svg', file);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const text = readFileSync(file, 'utf8');
  return { svg: parseXml(text), text, out };
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
    expect(out).not.toContain('recompute');
  });

  test('shows the terrain: slope, wetlands, flood zones, roads, the parcels around', async () => {
    const { svg, out } = await drawn(A);
    const colors = shapesIn(byId(svg, 'slope')).map(({ attributes }) => attributes.fill);
    // Flat, and 20 percent, which the meters of a degree may put on either side of the grade of 20.
    expect(colors).toContain('#1a9850');
    expect(colors.some(color => color === '#fed47f' || color === '#fdae61')).toBe(true);
    expect(textOf(byId(svg, 'wetlands'))).toBe('wetlands PFO1<E>');
    expect(textOf(byId(svg, 'flood'))).toBe('flood zone AE');
    expect(textOf(byId(svg, 'wetlands-percent'))).toContain('25.0%');
    expect(textOf(byId(svg, 'flood-percent'))).toContain('25.0%');
    expect(out).toMatch(/wetlands\s+25\.0% .*\n\s+flood zone\s+25\.0% /);
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

  test('shows the length of each side, but of a side with frontage only once', async () => {
    const { svg } = await drawn(A);
    const labels = elementsOf(byId(svg, 'sides')).filter(({ name }) => name === 'text');
    const feet = labels.map(label => Number(textOf(label).replace(/\D/g, ''))).sort((a, b) => a - b);
    expect(feet).toEqual([Math.round(60 * FT), Math.round(80 * FT)]);
  });

  test('shows parts and holes', async () => {
    const { svg } = await drawn(B);
    expect(byId(svg, 'boundary').attributes.d!.match(/M/g)).toHaveLength(3);
  });

  test("has the parcel's name as plain text, never as markup, and loads nothing", async () => {
    const { svg, text } = await drawn(A);
    const panel = textOf(byId(svg, 'panel'));
    for (const words of ['APN 14-1', 'Sullivan, NH', NASTY, '1 A & B St']) expect(panel).toContain(words);
    const names = new Set(elementsOf(svg).map(({ name }) => name));
    for (const name of ['script', 'image', 'use', 'foreignObject', 'a']) expect(names).not.toContain(name);
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|href|@import|@font-face/,
    );
    expect(Number(svg.attributes.width)).toBeLessThan(2000);
    expect(Number(svg.attributes.height)).toBeLessThan(2000);
  });

  test("is bounded: coordinates don't extend far beyond the view", async () => {
    const { svg } = await drawn(A);
    for (const id of ['wetlands', 'flood', 'roads', 'neighbours']) {
      for (const { attributes } of shapesIn(byId(svg, id)))
        for (const [number] of attributes.d!.matchAll(/-?[\d.]+/g))
          expect(Math.abs(+number)).toBeLessThan(1000);
    }
  });
});

describe('a drawing with too much to show', () => {
  test('omits the cells if there are too many, and says so; the figures count them', async () => {
    const { svg, out } = await drawn(LARGE);
    expect(shapesIn(byId(svg, 'slope'))).toEqual([]);
    const note = /Slope .*\bcells\b[^.]*\./.exec(out)![0];
    expect(textOf(byId(svg, 'panel'))).toContain(note);
    expect(out).toMatch(/mean slope\s+[1-9]/);
  });

  test('omits the smaller parcels, roads, and zones, and says so', async () => {
    const options = { signal: new AbortController().signal, maxPerKind: 1 };
    const found = await readParcelDrawing(pool, A, options);
    expect(found!.drawn!.surroundings).toMatchObject({
      neighbors: [{ id: B }],
      truncated: ['other parcels', 'roads'],
      roads: [{ class: 'local' }],
    });
    const notes = drawingNotes(found!.drawn!, { differences: [], waiting: false, computedAt: new Date() });
    expect(notes).toEqual([expect.stringContaining('other parcels, roads')]);
    // What is computed is not cut.
    expect(found!.drawn!.computed.figures.road_frontage_ft).toBeCloseTo(80 * FT, -1);
  });
});

describe('plat parcel show', () => {
  test('prints the known facts with the versions from which they were computed', async () => {
    const { code, out } = await show(A);
    expect(code).toBe(0);
    expect(out).toContain(`parcel ${A}, APN 14-1, Sullivan, NH (33019)`);
    expect(out).toContain(NASTY);
    expect(out).toMatch(/access\s+public road/);
    expect(out).toMatch(/steeper than\s+0\.5%: \d/);
    expect(out).toMatch(/roads\s+roads\s+\d+\s.*current/);
  });

  test('prints JSON', async () => {
    const { out } = await show(A, '--json');
    const value = JSON.parse(out);
    expect(value).toMatchObject({
      property_id: A,
      fips: '33019',
      owner_name: NASTY,
      land: {
        access: 'public_road',
        landlocked: false,
        of_boundary: true,
        wetlands_percent: expect.closeTo(25, 1),
      },
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

  test('exits with code 2 for an invalid or unused id', async () => {
    expect(await show(UNKNOWN)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${UNKNOWN}`),
    });
    expect(await show('14-1')).toMatchObject({ code: 2 });
  });

  test("reports a retired parcel but doesn't draw it", async () => {
    expect((await show(RETIRED)).out).toMatch(/retired\s.*\b\d{4}-/);
    const file = join(folder, 'retired.svg');
    expect(await show(RETIRED, '--svg', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/\b\d{4}-\d\d-\d\d\b/),
    });
    expect(existsSync(file)).toBe(false);
  });

  test("reports a parcel without geometry but doesn't draw it", async () => {
    expect((await show(SHAPELESS)).out).toMatch(/geometry\s+none/);
    expect(await show(SHAPELESS, '--svg', join(folder, 'none.svg'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('geometry'),
    });
  });

  test("reports a file that can't be written", async () => {
    const file = join(folder, 'missing', 'a.svg');
    expect(await show(A, '--svg', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/folder/),
    });
  });
});

test('stored figures from older layers: the drawing says so', async () => {
  const before = frontageStated((await show(A)).out);
  await putRoads(pool, LOCAL, HIGHWAY);
  const { svg, out } = await drawn(A);
  // The table has what is stored, the drawing what comes out now.
  expect(frontageStated(out)).toEqual(before);
  expect(frontageDrawn(svg)).not.toHaveProperty('normal');
  const words = new RegExp(`recompute.*: road_frontage_ft ${before.normal!.toFixed(1)},.* 0\\.0`);
  expect(out).toMatch(words);
  expect(textOf(byId(svg, 'panel')).replaceAll(/\s+/g, ' ')).toMatch(words);
  expect(out).toMatch(/roads\s+roads\s+\d+\s.*\brun \d+/);

  await markParcels(pool, ['roads']);
  const { out: json } = await show(A, '--json', '--svg', join(folder, 'a.svg'));
  expect(JSON.parse(json)).toMatchObject({
    waiting: ['roads'],
    drawing: {
      computed: { road_frontage_ft: 0 },
      differences: [{ figure: 'road_frontage_ft', computed: 0 }],
    },
  });
  expect((await drawn(A)).out).toMatch(/: roads\.?$/m);

  await settle(pool, LAND_KERNELS);
  expect((await drawn(A)).out).not.toContain('recompute');
});

test('overlays: each with its classes, numbers, and nearest feature', async () => {
  const zoning = { ...overlayOf('zoning', ['house', 'shop'], 500), label: 'Zoning' };
  const soil = {
    ...overlayOf('soil', ['wet'], 1000),
    numbers: [{ name: 'depth', label: 'Depth', unit: 'in' }],
  };
  await putOverlays(
    pool,
    [zoning, soil, overlayOf('flat', ['yes'])],
    [
      figuresOf(A, 'zoning', { house: 75, shop: 20.4 }, { nearest_ft: 0, nearest_name: 'Village' }),
      figuresOf(A, 'soil', {}, { nearest_ft: null, numbers: { depth: 12.25 } }),
      figuresOf(A, 'flat', {}),
    ],
  );
  const { out } = await show(A, '--json');
  expect(JSON.parse(out).overlays).toEqual([
    {
      label: 'Zoning',
      words: 'Class house 75%, Class shop 20.4%, nearest on the parcel (Village)',
    },
    { label: 'The soil', words: 'depth 12.3 in, none within 1,000 ft' },
    { label: 'The flat', words: 'none on the parcel' },
  ]);
  expect((await show(A)).out).toContain('Zoning: Class house 75%');
  expect(JSON.parse((await show(B, '--json')).out).overlays).toEqual([]);
});
