import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COUNTY_OVERLAYS } from '../../shared/feeds/county-feeds.ts';
import { loadFeed, parseFeed } from '../../workers/ingest/load-feeds.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { lots, withLayer } from '../support/arcgis.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, ingest, insertRegions } from '../support/ingest.ts';
import { type Mirror, serveMirror } from '../support/mirror.ts';
import { runCommand } from '../support/plat.ts';

const db = await createTestDatabase();
const { folder, pool } = db;
const catalogue = join(folder, 'catalogue.json');
const api = await startTestApi(db, { env: { CATALOGUE_FILE: catalogue } });
const feeds = join(folder, 'feeds');
let mirror: Mirror;
let settings: Record<string, string>;

const county = (...argv: string[]) => runCommand({ ...settings, DATABASE_URL: db.url }, ['county', ...argv]);

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
  await insertRegions(pool, [
    { type: 'county', code: '23019', state: 'ME', fips: 23_019 },
    { type: 'county', code: '23009', state: 'ME', fips: 23_009 },
  ]);
  mirror = await serveMirror(['23019', '23009'], catalogue);
  const source = (place: string, path: string) => ({
    place,
    file: `me/${place}`,
    format: 'shapefile',
    address: `${mirror.origin}${path}`,
    terms: 'as is',
  });
  const faulty = FAULTS.map((fault, i) => source(`2300${2 * i + 1}`, `/fault-${fault}/parcels.zip`));
  const sources = [source('23019', '/parcels.zip'), ...faulty];
  writeFileSync(catalogue, JSON.stringify({ from: 'a test', licence: 'CC0', sources }));
  settings = { ...mirror.settings, FEEDS_DIR: feeds, PLAT_DIR: join(folder, 'plat'), SAMPLE_FEEDS: '0' };
});
afterAll(() => mirror.close());

const LAND = ['roads', 'wetlands', 'flood', 'elevation', 'water', 'places', ...COUNTY_OVERLAYS];

/** Of the parcels of Maine's first counties. */
const FAULTS = ['dead', 'page', 'undated', 'moved'];

const run = async (name: string) =>
  ingest(pool, await loadFeed(join(feeds, `${name}.yaml`)), {}, { sharedDir: join(folder, 'downloads') });

test('a dry run shows what would be written, and queries nobody', async () => {
  const { code, out } = await county('add', '23019', '--dry-run');
  expect([code, mirror.requests.length, existsSync(feeds)]).toEqual([0, 0, false]);
  expect(out).toMatch(/23019 Penobscot/);
  expect(out).toMatch(/assessor +23019-parcels +planned +http.*parcels\.zip +as is/);
});

test('a feed of each kind is written, each for a source that responded, and what they name is loaded', async () => {
  const { code, out, err } = await county('add', '23019');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/roads +23019-roads +written +http\S+TIGER2025\S+ +2026-05-01 +public domain/),
  ]);
  expect(err).toMatch(/Wrote 13 feeds/);
  expect(readdirSync(feeds).sort()).toEqual(
    [...LAND, 'parcels'].map(kind => `23019-${kind.replace('_', '-')}.yaml`).sort(),
  );
  const parcels = readFileSync(join(feeds, '23019-parcels.yaml'), 'utf8');
  expect(parcels).toMatch(/licence: as is\n[\s\S]*key: \w+ +# 9\d%[\s\S]*acres: ACRES/);

  expect(await run('23019-parcels')).toMatchObject({ status: 'merged', counts: { read: { roll: 25 } } });
  expect(await run('23019-roads')).toMatchObject({ status: 'merged' });
  // Of the state's file in two parts those of the county: the others lie a degree and a half to the west.
  expect(await run('23019-wetlands')).toMatchObject({
    status: 'merged',
    counts: { read: { layer: 60 }, skipped: 20, rows: 40 },
  });
  expect(await run('23019-flood')).toMatchObject({ status: 'merged', counts: { skipped: 0 } });
  expect(await run('23019-elevation')).toMatchObject({
    status: 'merged',
    counts: { rows: 1, absent: expect.any(Number) },
  });
  expect(await run('23019-water')).toMatchObject({
    status: 'merged',
    counts: { counting: { lake: 1 }, not_counting: { H2025: 1 } },
  });
  // Of the state's names those of the county.
  expect(await run('23019-places')).toMatchObject({
    status: 'merged',
    counts: {
      skipped: 1,
      counting: { Lake: 1, Summit: 1 },
      not_counting: { Civil: 1, historical: 1 },
    },
  });
  // Of two survey areas, the polygons of the county, without land that isn't surveyed.
  expect(await run('23019-soils')).toMatchObject({
    status: 'merged',
    counts: { read: { layer: 6 }, skipped: 4, rows: 2, rejected: {} },
  });
  expect(await run('23019-railroads')).toMatchObject({ status: 'merged', counts: { skipped: 1, rows: 2 } });
  expect(await run('23019-urban-areas')).toMatchObject({ status: 'merged', counts: { skipped: 1, rows: 1 } });
  // The layer has no proclamation boundaries.
  expect(await run('23019-protected-land')).toMatchObject({
    status: 'merged',
    counts: { rows: 2, skipped: 1 },
  });
  expect(await run('23019-opportunity-zones')).toMatchObject({ status: 'merged', counts: { rows: 1 } });
  expect(await run('23019-transmission-lines')).toMatchObject({ status: 'merged', counts: { rows: 2 } });
  expect(
    await all(
      pool,
      "select name, words from layer_features where name is not null and class in ('lake', 'Lake') order by name",
    ),
  ).toEqual([
    { name: 'Fields Pnd', words: null },
    { name: 'Fields Pond', words: 'fields pond' },
  ]);
  expect(await all(pool, 'select fips, count(*)::int as parcels from parcels group by fips')).toEqual([
    { fips: 23_019, parcels: expect.any(Number) },
  ]);
}, 180_000);

test('an unchanged file is recognized with one request; a changed one is read again', async () => {
  const asked = () => mirror.asked(/ME_shapefile/).length;
  const before = asked();
  expect(await run('23019-wetlands')).toMatchObject({ status: 'unchanged' });
  expect(asked() - before).toBe(1);
  mirror.publish(new Date('2026-06-01T12:00:00Z'));
  expect(await run('23019-wetlands')).toMatchObject({ status: 'unchanged', counts: { read: { layer: 60 } } });
  expect(mirror.asked(/ME_shapefile/).filter(method => method === 'GET')).toHaveLength(2);
});

test("counties share their state's file; existing feeds are left alone", async () => {
  const { code, out } = await county('add', '23009', '23019', '--json');
  const added = JSON.parse(out) as { fips: string; kind: string; status: string }[];
  const statuses = (fips: string) =>
    added.filter(each => each.fips === fips).map(({ kind, status }) => `${kind} ${status}`);
  expect(statuses('23019')).toEqual(['assessor', ...LAND].map(kind => `${kind} there`));
  expect([code, statuses('23009')]).toEqual([
    1,
    ['assessor unknown', ...LAND.map(kind => `${kind} written`)],
  ]);
  const before = mirror.asked(/ME_shapefile/).filter(method => method === 'GET').length;
  await run('23009-wetlands').catch(() => {});
  expect(mirror.asked(/ME_shapefile/).filter(method => method === 'GET')).toHaveLength(before);
});

test('the list shows what is loaded, how old it is, where it is from, and what is missing', async () => {
  const { code, out } = await county('list', '--json');
  const [hancock, penobscot] = JSON.parse(out);
  expect(code).toBe(0);
  expect(
    penobscot.kinds.map((each: { kind: string; state: string }) => `${each.kind} ${each.state}`),
  ).toEqual(['assessor', ...LAND].map(kind => `${kind} loaded`));
  expect(penobscot.kinds[0]).toMatchObject({
    feed: '23019-parcels',
    licence: 'as is',
    last_run: 'merged',
    from: `${mirror.origin}/parcels.zip`,
  });
  expect(hancock.kinds.map((each: { kind: string; state: string }) => `${each.kind} ${each.state}`)).toEqual([
    'assessor missing',
    'roads waiting',
    'wetlands waiting',
    'flood waiting',
    'elevation waiting',
    'water waiting',
    'places waiting',
    ...COUNTY_OVERLAYS.map(kind => `${kind} waiting`),
  ]);
  expect((await county('list', '23009')).out).toMatch(/missing: assessor; .*catalog/);
  expect((await county('list', '23009')).out).toMatch(/comps: .*sales/);
  expect((await county('list', '23001')).out).toMatch(
    /missing: assessor, roads, .* http\S+; .*`plat county add 23001`/,
  );
});

test('without a network nothing is written, and the messages say what to set', async () => {
  const nowhere = Object.fromEntries(
    Object.entries(mirror.settings).map(([name, value]) => [
      name,
      value.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9'),
    ]),
  );
  const lonely = join(folder, 'lonely');
  mkdirSync(lonely);
  const { code, out, err } = await runCommand({ ...settings, ...nowhere, FEEDS_DIR: lonely }, [
    'county',
    'add',
    '23009',
  ]);
  expect([code, readdirSync(lonely)]).toEqual([1, []]);
  expect(err).toMatch(/\b13 .*\(12 failed, 0 off, 1 unknown\): 23009-parcels, 23009-roads, /);
  for (const setting of [
    'ROADS_URL',
    'WETLANDS_URL',
    'FLOOD_URL',
    'ELEVATION_URL',
    'WATER_URL',
    'PLACES_URL',
    'SOILS_URL',
    'RAILROADS_URL',
    'URBAN_AREAS_URL',
    'PROTECTED_LAND_URL',
    'OPPORTUNITY_ZONES_URL',
    'TRANSMISSION_LINES_URL',
  ])
    expect(out).toContain(setting);
});

test('when some servers fail, the other feeds are written and each failure is reported', async () => {
  const elsewhere: Record<string, string> = { ...settings, FEEDS_DIR: join(folder, 'state') };
  elsewhere.WETLANDS_URL = elsewhere.WETLANDS_URL!.replace('/wetlands', '/fault-headless/wetlands');
  const roadsBy = (fault: string) => settings.ROADS_URL!.replace('/geo', `/fault-${fault}/geo`);
  elsewhere.ROADS_URL = roadsBy('headless');
  const state = (...argv: string[]) => runCommand(elsewhere, ['county', 'add', '--json', ...argv]);
  const planned = JSON.parse((await state('--state', 'ME', '--dry-run')).out) as { status: string }[];
  expect(planned.filter(({ status }) => status === 'planned')).toHaveLength(16 * 12 + 5);

  const told = async () => {
    const { code, out } = await state('23001', '23003', '23005', '23007');
    const added = JSON.parse(out) as { fips: string; kind: string; status: string; message: string }[];
    const of = (kind: string) => added.filter(each => each.kind === kind);
    return { code, parcels: of('assessor'), wetlands: of('wetlands').map(({ status }) => status) };
  };
  const first = await told();
  expect(first.parcels.map(({ status }) => status)).toEqual(['failed', 'failed', 'off', 'off']);
  expect(first.parcels.map(({ message }) => message)).toEqual([
    expect.stringMatching(/fault-dead/),
    expect.stringMatching(/fault-page.*web page/),
    // Bangor's parcels are of no other county.
    expect.stringMatching(/\d parcels .*county/),
    expect.stringMatching(/\d parcels .*county/),
  ]);
  expect([first.code, first.wetlands]).toEqual([1, ['written', 'written', 'written', 'written']]);
  // Again: what is switched off is no feed that is there.
  const again = await told();
  expect([again.code, ...again.parcels.map(({ status }) => status)]).toEqual([
    1,
    'failed',
    'failed',
    'off',
    'off',
  ]);
  expect(again.wetlands).toEqual(['there', 'there', 'there', 'there']);
  // This year's roads are not out yet, whichever way the server says it.
  for (const fault of ['headless', 'bucket']) {
    elsewhere.ROADS_URL = roadsBy(fault);
    const added = JSON.parse((await state('23009', '--force')).out) as { kind: string; address: string }[];
    expect(added.find(({ kind }) => kind === 'roads')!.address).toMatch(/TIGER2025/);
  }
}, 120_000);

test('--run loads existing feeds as well', async () => {
  const { code, out } = await county('add', '23019', '--run');
  expect([code, out.match(/^23019-[\w-]+: job \S+/gm)?.length]).toEqual([0, 13]);
});

test('a missing catalog is reported', async () => {
  const argv = ['county', 'add', '23001', '--dry-run'];
  const { code, err } = await runCommand({ ...settings, CATALOGUE_FILE: 'nope.json' }, argv);
  expect([code, err]).toEqual([1, expect.stringMatching(/^plat: .*nope\.json.*CATALOGUE_FILE/)]);
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, JSON.stringify({ sources: [{ place: '23001', address: 'parcels.zip' }] }));
  const { err: told } = await runCommand({ ...settings, CATALOGUE_FILE: wrong }, argv);
  expect(told).toMatch(/source 1 .*"place".*"address"/);
});

test('invalid codes and states are refused', async () => {
  for (const argv of [['add', '55555'], ['add', '--state', 'XX'], ['add'], ['list', '--state', 'XX']])
    expect([argv, (await county(...argv)).code]).toEqual([argv, 2]);
});

test("customers see terms, age, and URL of what was added, and what the operator's catalog offers for the rest", async () => {
  const { key } = await newCaller(db);
  const get = async (path: string) => (await api.call(`/api/public/v1/coverage/${path}`, { key })).json;
  const { sources } = (await get('23019/')) as { sources: Record<string, unknown>[] };
  const told = { licence: 'as is', changed: '2026-05-01', source_url: `${mirror.origin}/parcels.zip` };
  expect(sources.find(({ kind }) => kind === 'assessor')).toMatchObject(told);
  expect(sources.map(({ kind }) => kind).sort()).toEqual([
    'assessor',
    'elevation',
    'flood',
    ...COUNTY_OVERLAYS.map(() => 'overlay'),
    'places',
    'roads',
    'water',
    'wetlands',
  ]);
  expect(((await get('23019/')) as { no_comps: unknown }).no_comps).toMatchObject({
    reason: 'no_sales_source',
  });
  const { offered } = (await get('?offered=me')) as { offered: Record<string, unknown>[] };
  expect(offered.map(({ fips }) => fips).sort()).toEqual(['23001', '23003', '23005', '23007']);
  const source_url = `${mirror.origin}/fault-dead/parcels.zip`;
  expect(offered[0]).toMatchObject({ name: 'Androscoggin', statewide: false, source_url, licence: 'as is' });
  expect(await get('23001/')).toMatchObject({
    error: { message: expect.stringContaining(source_url) },
  });
});

test("labels name the columns of a layer on an ArcGIS server; from a state's layer, the county's parcels are loaded with its preset", async () => {
  const fields = ['OBJECTID', 'F1', 'F2'].map((name, i) => ({
    name,
    type: 'esriFieldTypeString',
    alias: ['OBJECTID', 'Parcel number', 'Owner name'][i],
  }));
  const features = lots(30).map(({ attributes, geometry }, i) => ({
    geometry: geometry!,
    attributes: { OBJECTID: attributes.OBJECTID, F1: `0${i}-${i * 7}`, F2: `SMITH ${i} LLC` },
  }));
  await withLayer({ features, metadata: { fields, copyrightText: 'City of Somewhere' } }, async server => {
    const out = join(folder, 'layer.yaml');
    const { code, out: said } = await runCommand(settings, [
      'feed',
      'suggest',
      server.source,
      '--name',
      'layer',
      '--out',
      out,
    ]);
    expect([code, said]).toEqual([0, expect.stringMatching(/assessor, county 33019, from 30 rows/)]);
    const feed = await loadFeed(out);
    expect(feed).toMatchObject({
      attribution: 'City of Somewhere',
      fips: 33_019,
      roll: { columns: { apn: { column: 'F1' }, owner_name: { column: 'F2' } } },
    });
    // Half of a state's layer lies in the next county.
    const wide = parseFeed(
      JSON.stringify({
        name: 'wide',
        kind: 'assessor',
        fips: '33019',
        roll: {
          source: server.source,
          format: 'arcgis',
          key: 'F1',
          columns: { apn: 'F1' },
          within: 'county',
        },
      }),
      out,
    );
    features.push(
      ...lots(10, [-71.5, 43.2]).map(({ geometry }, i) => ({
        geometry: geometry!,
        attributes: { OBJECTID: 100 + i, F1: `X${i}`, F2: '' },
      })),
    );
    expect(await ingest(pool, wide)).toMatchObject({ counts: { read: { roll: 40 }, skipped: 10, new: 30 } });
    expect(server.queries.at(-1)!.get('geometry')).toMatch(/^-72\./);
  });
});
