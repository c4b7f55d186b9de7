import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { paintFile } from '../../api/images/cog.ts';
import { HEIGHT, shownOfTile, WIDTH } from '../../api/images/image-frame.ts';
import { boxOf, boxSql, boxToE7 } from '../../shared/geo/box.ts';
import { encodeBoundary } from '../../shared/geo/geometry-codec.ts';
import { request } from '../../shared/platform/http/http.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { readImageryHeader } from '../../shared/raster/imagery-file.ts';
import { countCoverage } from '../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertRegions } from '../support/ingest.ts';
import { ingestSample } from '../support/sample.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);
const WASHINGTON = [-72.1, 43.17] as const;

beforeAll(async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  await ingestSample(
    db.pool,
    'washington-nh',
    'washington-nh-roads',
    'washington-nh-water',
    'washington-nh-places',
    'naip-north-dakota',
  );
  await ana.signIn(await newUser(db));
});

/** In tiles of a zoom. */
function mercator(zoom: number, [lon, lat]: readonly [number, number]): [x: number, y: number] {
  const n = 2 ** zoom;
  const sine = Math.sin((lat * Math.PI) / 180);
  return [(lon / 360 + 0.5) * n, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * n];
}

const tileAt = (zoom: number, place: readonly [number, number]): string =>
  [zoom, ...mercator(zoom, place).map(Math.floor)].join('/');

async function bytesOf(address: string) {
  const response = await fetch(`${api.url}/tiles/${address}`, { headers: { Cookie: ana.cookie! } });
  expect(response.status).toBe(200);
  return response.arrayBuffer();
}

async function featuresOf(address: string, layer = 'parcels') {
  const { layers } = new VectorTile(new PbfReader(await bytesOf(address)));
  const found = layers[layer];
  return Array.from({ length: found?.length ?? 0 }, (_, at) => found!.feature(at));
}

const hitsOf = async (tile: string, search: string) =>
  (await featuresOf(`parcels/${tile}.mvt?${search}`)).filter(({ properties }) => 'hit' in properties);

/** Where a point lies among the squares of which each has a dot: four pixels of the tile's zoom. */
const squareOf = (zoom: number, [lon, lat]: readonly [number, number]): number[] => {
  const [x, y] = mercator(zoom, [lon, lat]);
  return [Math.floor(x! * 128), Math.floor(y! * 128)];
};

test.each([9, 11, 13, 15])('all hits of a search are marked at zoom %i, no matter how many', async zoom => {
  const { rows } = await db.pool.query<{ id: number; place: [number, number] }>(
    `select property_id::float8 as id, array[location[0], location[1]]::float8[] as place
     from parcel_filters where fips = 33019 and vacant and location is not null`,
  );
  expect(rows.length).toBeGreaterThan(500);
  const places = new Map(rows.map(({ id, place: [x, y] }) => [id, [x / 1e7, y / 1e7] as const]));
  const marked = new Set<number>();
  for (const tile of new Set([...places.values()].map(place => tileAt(zoom, place))))
    for (const { id } of await hitsOf(tile, 'county=Sullivan%2C+NH&vacant_only=true')) marked.add(id!);
  expect([...marked].filter(id => !places.has(id))).toEqual([]);
  if (zoom === 15) expect(marked.size).toBe(places.size);
  // From farther away those that would lie on each other are one dot.
  const squares = new Set([...marked].map(id => squareOf(zoom, places.get(id)!).join()));
  const hidden = [...places.values()].filter(place => {
    const [x, y] = squareOf(zoom, place);
    return ![-1, 0, 1].some(dx => [-1, 0, 1].some(dy => squares.has(`${x! + dx},${y! + dy}`)));
  });
  expect(hidden).toEqual([]);
});

test('a tile of 8,000 lots has at most 100 kB, and each of them is visible', async () => {
  const [z, x, y] = tileAt(14, [-72.28, 42.93]).split('/').map(Number) as [number, number, number];
  const bent = (i: number) => 0.3 * Math.abs((Math.sin(i) * 43_758.5453) % 1);
  const corner = (column: number, row: number): [number, number] => {
    const i = column * 200 + row;
    const [across, down] = [(column + 0.4 * bent(i)) / 90, (row + 0.4 * bent(i + 0.5)) / 89];
    const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + down)) / 2 ** z))) * 180) / Math.PI;
    return [((x + across) / 2 ** z - 0.5) * 360, lat];
  };
  const lots = Array.from({ length: 90 * 89 }, (_, i) => {
    const [column, row] = [i % 90, Math.floor(i / 90)];
    const corners = [
      [0, 0],
      [0, 1],
      [0.5, 1],
      [1, 1],
      [1, 0],
      [0.5, 0],
      [0, 0],
    ];
    return corners.map(([across, down]) => corner(column + across!, row + down!));
  });
  await ensurePartitions(db.pool, [33005]);
  await db.pool.query(
    `with lots as (
       select 3300500000000 + i as id, extent::box as extent, boundary
       from unnest($1::text[], $2::bytea[]) with ordinality as t (extent, boundary, i)
     ), on_roll as (
       insert into parcels (fips, property_id, feed_id, source_key, location, extent, boundary, created_run, changed_run)
       select 33005, id, 1, id, point(extent), extent, boundary, 1, 1 from lots
     )
     insert into parcel_filters (fips, property_id, location, extent, effective_acres)
     select 33005, id, point(extent), extent, id % 997 / 7.0 from lots`,
    [lots.map(ring => boxSql(boxToE7(boxOf([[ring]])))), lots.map(ring => encodeBoundary([[ring]]))],
  );
  await countCoverage(db.pool, [33005]);
  await db.pool.query('analyze parcels, parcel_filters');
  for (const search of ['', '?county=33005&color=acres']) {
    for (const zoom of [12, 13, 14, 15]) {
      const tile = tileAt(zoom, [-72.28, 42.93]);
      const response = await fetch(`${api.url}/tiles/parcels/${tile}.mvt${search}`, {
        headers: { Cookie: ana.cookie!, 'Accept-Encoding': 'identity' },
      });
      const bytes = gzipSync(Buffer.from(await response.arrayBuffer())).length;
      expect(bytes).toBeLessThan(100_000);
    }
  }
  const tile = tileAt(14, [-72.28, 42.93]);
  const features = await featuresOf(`parcels/${tile}.mvt`);
  const outlined = new Set(features.map(({ id }) => id));
  const dots = new Set(
    features
      .filter(({ type }) => type === 1)
      .flatMap(feature => feature.loadGeometry().flat())
      .map(at => [at.x, at.y].map(side => Math.floor((side / 4096) * 128)).join()),
  );
  const unseen = lots.filter((ring, i) => {
    const [column, row] = squareOf(14, ring[0]!).map(square => square % 128);
    const near = [-2, -1, 0, 1, 2].some(dx =>
      [-2, -1, 0, 1, 2].some(dy => dots.has(`${column! + dx},${row! + dy}`)),
    );
    return !outlined.has(3_300_500_000_001 + i) && !near;
  });
  expect(unseen).toEqual([]);
});

test('hits have the colors in the legend, equally many of each', async () => {
  const page = await ana.open('/data?county=33019&acres_min=5&color=acres');
  const classes = [...page.text.matchAll(/<i class="swatch q\d"><\/i><span>[^<]*<\/span><b>([\d,]+)<\/b>/g)];
  const { rows } = await db.pool.query<{ n: number }>(
    'select count(*)::int as n from parcel_filters where fips = 33019 and effective_acres >= 5',
  );
  expect(classes).toHaveLength(5);
  expect(classes.reduce((sum, [, hits]) => sum + Number(hits!.replace(',', '')), 0)).toBe(rows[0]!.n);
  const hits = await hitsOf(tileAt(12, WASHINGTON), 'county=33019&acres_min=5&color=acres');
  expect(hits.length).toBeGreaterThan(50);
  // As the filter compares acres that are shown with two decimals, and tiles have two digits.
  for (const { properties } of hits) expect(properties.hit).toBeGreaterThanOrEqual(4.9);
  // What lies within a shape has all figures, too.
  const within = 'geom_intersects=POLYGON((-73 42.5, -71 42.5, -71 44, -73 44, -73 42.5))';
  const same = await hitsOf(tileAt(12, WASHINGTON), `county=33019&acres_min=5&color=acres&${within}`);
  const told = (features: typeof hits) =>
    features.map(({ id, properties }) => [id, properties.hit]).sort(([a], [b]) => Number(a) - Number(b));
  expect(told(same)).toEqual(told(hits));
  const shaped = await ana.open(`/data?county=33019&acres_min=5&color=acres&${within}`);
  expect(shaped.text).toContain(classes[0]![0]);
});

test("the list has the map's colors, and the legend distinguishes hits from other parcels", async () => {
  const page = await ana.open('/data?county=33019&acres_min=5&color=acres&page_size=25');
  expect(
    page.text.match(/<small><i class="swatch q\d"><\/i>|<i class="swatch q\d"><\/i> \$/g)!.length,
  ).toBeGreaterThan(20);
  const counts = [
    ...page.text.matchAll(/<i class="swatch [\w-]+"><\/i><span>([^<]*)<\/span><b>([\d,]+)<\/b>/g),
  ];
  const { rows } = await db.pool.query<{ n: number }>(
    'select count(*)::int as n from parcel_filters where fips = 33019',
  );
  expect(counts.reduce((sum, [, , number]) => sum + Number(number!.replace(',', '')), 0)).toBe(rows[0]!.n);
  expect(counts.map(([, words]) => words)).toContain('Other parcels');
});

test('an invalid search marks nothing', async () => {
  for (const refused of ['county=Essex', 'county=33019&acres_min=many', 'owner_parcel_id=1', 'acres_min=5'])
    expect(await hitsOf(tileAt(12, WASHINGTON), refused)).toEqual([]);
});

test('a parcel without an outline is a dot, in its own tile only', async () => {
  for (const zoom of [13, 15, 16]) {
    const [z, x, y] = tileAt(zoom, WASHINGTON).split('/').map(Number) as [number, number, number];
    for (const tile of [`${z}/${x}/${y}`, `${z}/${x + 1}/${y}`, `${z}/${x}/${y + 1}`])
      for (const search of ['', '?county=33019&acres_min=0.1']) {
        const dots = (await featuresOf(`parcels/${tile}.mvt${search}`)).filter(({ type }) => type === 1);
        const sides = dots.flatMap(dot => dot.loadGeometry().flat()).flatMap(at => [at.x, at.y]);
        // As far as the frame that is drawn around a tile.
        expect(sides.filter(side => side < -64 || side > 4096 + 64)).toEqual([]);
      }
  }
});

test('a county is counted at its parcels, in one tile', async () => {
  const [z, x, y] = tileAt(10, WASHINGTON).split('/').map(Number) as [number, number, number];
  const around = [-1, 0, 1].flatMap(dx => [-1, 0, 1].map(dy => `${z}/${x + dx}/${y + dy}`));
  const counts = await Promise.all(around.map(tile => featuresOf(`parcels/${tile}.mvt`, 'counts')));
  const tiles = around.filter((_, at) => counts[at]!.some(({ id }) => id === 33019));
  expect(tiles).toEqual([`${z}/${x}/${y}`]);
});

test('each line between two counties is drawn once, and whole if one of them is loaded', async () => {
  const borders = await featuresOf(`parcels/${tileAt(7, WASHINGTON)}.mvt`, 'borders');
  const told = borders.map(feature => JSON.stringify(feature.loadGeometry()));
  expect(told.length).toBeGreaterThan(20);
  expect(new Set(told).size).toBe(told.length);
  const loaded = borders.filter(({ properties }) => properties.parcels === 1);
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.length).toBeLessThan(borders.length / 2);
  // The whole country at once.
  for (const tile of ['3/1/2', '3/2/3', '4/4/6'])
    expect(gzipSync(Buffer.from(await bytesOf(`parcels/${tile}.mvt`))).length).toBeLessThan(100_000);
});

test('states, counties, and towns have their names, and other countries are land', async () => {
  const names = async (zoom: number, layer: string) =>
    (await featuresOf(`base/${tileAt(zoom, WASHINGTON)}.mvt`, layer)).map(
      ({ properties }) => properties.name,
    );
  expect(await names(10, 'towns')).toContain('Washington');
  expect(await names(8, 'counties')).toContain('Sullivan');
  expect(await names(5, 'states')).toContain('New Hampshire');
  expect(await featuresOf(`base/${tileAt(6, [-72.1, 47])}.mvt`, 'abroad')).not.toEqual([]);
});

test('water, roads, and places are drawn with their names, each name once', async () => {
  const lakes = await featuresOf(`base/${tileAt(11, WASHINGTON)}.mvt`, 'water');
  expect(lakes.length).toBeGreaterThan(5);
  const roads = await featuresOf(`base/${tileAt(13, WASHINGTON)}.mvt`, 'roads');
  expect(roads.map(({ properties }) => properties.name)).toContain('Faxon Hill Rd');
  const names = (await featuresOf(`base/${tileAt(13, [-72.087, 43.183])}.mvt`, 'names')).map(
    ({ properties: { name, group } }) => `${group} ${name}`,
  );
  // The water's own layer and that of names have it.
  expect(names.filter(name => name === 'water Halfmoon Pond')).toHaveLength(1);
  // And the ZIP's town is named already.
  expect(names).not.toContain('town Washington');
});

/** A mean of the channels' differences, of 255. */
function differenceOf(a: Buffer, b: Buffer): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length;
}

test('an aerial tile has the pixels of a picture of the place; beyond the imagery there are none', async () => {
  const at = async (tile: string) =>
    fetch(`${api.url}/tiles/aerial/${tile}.jpg`, { headers: { Cookie: ana.cookie! } });
  const inside = await at('15/7358/11522');
  expect([inside.status, inside.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const shown = await sharp(Buffer.from(await inside.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer();
  const naip = join(rootDir, 'workers/sample/data/naip_nd/m_4709963_se_14_1_20200831_part.tif');
  const { signal } = new AbortController();
  const picture = { width: WIDTH, height: HEIGHT, data: new Uint8Array(4 * WIDTH * HEIGHT) };
  const reading = { signal, request, freshUntil: Infinity };
  await paintFile(
    await readImageryHeader(naip, {}, { signal }),
    shownOfTile(15, 7358, 11522, 256),
    picture,
    reading,
  );
  const raw = { width: WIDTH, height: HEIGHT, channels: 4 as const };
  const corner = { left: 0, top: 0, width: 256, height: 256 };
  const drawn = await sharp(picture.data, { raw }).extract(corner).removeAlpha().raw().toBuffer();
  // As far as JPEG leaves them.
  expect(differenceOf(shown, drawn)).toBeLessThan(4);
  expect((await at(tileAt(15, WASHINGTON))).status).toBe(204);
});

test('a view names the sources of its data and what is not loaded there', async () => {
  const ask = async (box: string) => {
    const page = await ana.open(`/data/credits?box=${box}&layers=roads,aerial`);
    return JSON.parse(page.text);
  };
  const washington = await ask('-72.2,43.1,-72,43.25');
  expect(washington.kinds.sort()).toEqual(['assessor', 'places', 'roads', 'water']);
  expect(washington.credits.join()).toMatch(/New Hampshire Department of Transportation/);
  expect((await ask('-99.2,47,-99.1,47.1')).credits.join()).toMatch(
    /National Agriculture Imagery Program|NAIP/,
  );
  expect((await ana.open('/data/credits?box=1,2')).status).toBe(400);
});
