import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature } from 'geojson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deal } from '../../api/v1/deals/deal-schema.ts';
import { loadFeed } from '../../workers/ingest/load-feeds.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { valueCounty } from '../../workers/valuation/value-county.ts';
import { createRandom } from '../bench/generate/random.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { dealCalls, doDealJobs } from '../support/deals.ts';
import { serve, type TestServer } from '../support/http-server.ts';
import { all, ingest, square } from '../support/ingest.ts';
import { runCommand } from '../support/plat.ts';

/** Counties of three states with the rolls and files of sales of their states, from a mirror. */

const db = await createTestDatabase({}, { regions: true });
const { folder, pool } = db;
const api = await startTestApi(db);
const feeds = join(folder, 'feeds');
const LOTS = 120;
const SOLD = 90;

type Lot = { n: number; acres: number; price: number; year: number; month: number };

/** Lots of half an acre to ten; the price grows slower than the acreage. */
function lotsOf(seed: number): Lot[] {
  const random = createRandom(seed);
  const now = new Date();
  return Array.from({ length: LOTS }, (_, n) => {
    const acres = Number((0.5 + 9.5 * random()).toFixed(2));
    const sold = new Date(now.getTime() - Math.floor(random() * 1_000 + 40) * 86_400_000);
    const price = 500 * Math.round(40 * acres ** 0.6 * (0.9 + 0.2 * random()));
    return { n, acres, price, year: sold.getUTCFullYear(), month: sold.getUTCMonth() + 1 };
  });
}

const two = (value: number) => String(value).padStart(2, '0');
const day = ({ year, month, n }: Lot) => `${year}${two(month)}${two((n % 27) + 1)}`;

/** A square of so many acres; lots stand in rows. */
function lotAt([west, south]: readonly [number, number], { n, acres }: Lot): Feature['geometry'] {
  return square(west + 0.004 * (n % 12), south + 0.004 * Math.floor(n / 12), 0.00063 * Math.sqrt(acres));
}

const collection = (features: Feature[]) => JSON.stringify({ type: 'FeatureCollection', features });
const feature = (geometry: Feature['geometry'], properties: object): Feature => ({
  type: 'Feature',
  geometry,
  properties: properties as Feature['properties'],
});

const COUNTIES = {
  '12086': { at: [-80.5, 25.6], lots: lotsOf(1) },
  '34025': { at: [-74.3, 40.25], lots: lotsOf(2) },
  '24031': { at: [-77.25, 39.2], lots: lotsOf(3) },
} as const;

const files: Record<string, () => string> = {
  '/Florida_Statewide_Cadastral.geojson': () =>
    collection(
      COUNTIES['12086'].lots.map(lot =>
        feature(lotAt(COUNTIES['12086'].at, lot), {
          CO_NO: 23,
          PARCEL_ID: `30${lot.n + 1000}`,
          DOR_UC: '000',
          JV: 50_000,
          LND_SQFOOT: Math.round(lot.acres * 43_560),
          NO_BULDNG: 0,
          M_PAR_SAL1: null,
          QUAL_CD1: null,
          VI_CD1: null,
          SALE_PRC1: 0,
          SALE_YR1: 0,
          SALE_MO1: null,
          OWN_NAME: `OWNER ${lot.n}`,
          PHY_ADDR1: `${lot.n} SW 8 ST`,
          PHY_CITY: 'MIAMI',
          PHY_ZIPCD: '33130',
        }),
      ),
    ),
  '/SDF/Dade 23.csv': () =>
    [
      'CO_NO,PARCEL_ID,ASMNT_YR,DOR_UC,SAL_CHG_CD,VI_CD,OR_BOOK,OR_PAGE,CLERK_NO,QUAL_CD,SALE_YR,SALE_MO,SALE_PRC,MULTI_PAR_SAL',
      ...COUNTIES['12086'].lots
        .slice(0, SOLD)
        .map(({ n, year, month, price }) =>
          [
            23,
            `30${n + 1000}`,
            year,
            '000',
            '',
            'V',
            30_000 + n,
            '0001',
            '',
            n % 10 ? '01' : '11',
            year,
            two(month),
            price,
            '',
          ].join(),
        ),
    ].join('\n'),
  '/parcelsStatewide.geojson': () =>
    collection(
      COUNTIES['34025'].lots.map(lot =>
        feature(lotAt(COUNTIES['34025'].at, lot), {
          PAMS_PIN: `1310_${100 + lot.n}_${lot.n + 1}.01`,
          PROP_CLASS: '1',
          MUN_NAME: 'COLTS NECK TOWNSHIP',
          PROP_LOC: `${lot.n} ROUTE 34`,
          LAND_VAL: 40_000,
          IMPRVT_VAL: 0,
          NET_VALUE: 40_000,
          CALC_ACRE: lot.acres,
          DEED_DATE: null,
          SALE_PRICE: 0,
          SALES_CODE: null,
        }),
      ),
    ),
  '/SR1A.txt': () =>
    COUNTIES['34025'].lots
      .slice(0, SOLD)
      .map(lot => {
        const line = new Array<string>(663).fill(' ');
        const put = (start: number, text: string) => line.splice(start - 1, text.length, ...text);
        put(1, '1310');
        put(34, lot.n % 10 ? 'U' : 'N');
        put(35, lot.n % 10 ? '000' : '026');
        put(38, String(lot.price).padStart(9, '0'));
        put(47, '000000000');
        put(329, '09400');
        put(334, String(lot.n).padStart(5, '0'));
        put(339, day(lot).slice(2));
        put(351, String(100 + lot.n).padStart(5, '0'));
        put(360, String(lot.n + 1).padStart(5, '0'));
        put(365, '01');
        put(627, '1');
        return line.join('');
      })
      .join('\n'),
  '/MD_ParcelBoundaries.geojson': () =>
    collection(
      COUNTIES['24031'].lots.map(lot =>
        feature(lotAt(COUNTIES['24031'].at, lot), {
          ACCTID: `16010${lot.n + 10_000}`,
          ACRES: lot.acres,
          ADDRESS: `${lot.n} RIVER RD`,
          CITY: 'POOLESVILLE',
          ZIPCODE: '20837',
          LU: 'R',
          NFMTTLVL: 60_000,
          NFMLNDVL: 60_000,
          NFMIMPVL: 0,
          TRADATE: '00000000',
          CONSIDR1: 0,
        }),
      ),
    ),
  '/MD_PropertySales.geojson': () =>
    collection([
      ...COUNTIES['24031'].lots.slice(0, SOLD).map(lot => {
        const [west, south] = COUNTIES['24031'].at;
        const point = [west + 0.004 * (lot.n % 12) + 0.0001, south + 0.004 * Math.floor(lot.n / 12) + 0.0001];
        const properties = {
          ACCTID: `16010${lot.n + 10_000}`,
          TRADATE: day(lot),
          CONSIDR1: lot.price,
          CONVEY1: lot.n % 10 ? '2' : '4',
        };
        return feature({ type: 'Point', coordinates: point }, properties);
      }),
      // Another county's.
      feature(
        { type: 'Point', coordinates: [-76.5, 39.4] },
        { ACCTID: '0401234567', TRADATE: '20250101', CONSIDR1: 90_000, CONVEY1: '2' },
      ),
    ]),
};

let mirror: TestServer;
let settings: Record<string, string>;

beforeAll(async () => {
  mirror = await serve((request, response) => {
    const text = files[decodeURIComponent(request.url!)]?.();
    if (text === undefined) response.writeHead(404).end();
    else {
      const headers = {
        'last-modified': 'Fri, 01 May 2026 12:00:00 GMT',
        'content-length': Buffer.byteLength(text),
      };
      response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : text);
    }
  });
  const catalogue = join(folder, 'catalogue.json');
  const list = join(folder, 'sales.json');
  const source = (place: string, path: string) => ({
    place,
    file: `statewide/${place}`,
    format: 'geojson',
    address: mirror.origin + path,
  });
  const sources = [
    source('12', '/Florida_Statewide_Cadastral.geojson'),
    source('34', '/parcelsStatewide.geojson'),
    source('24', '/MD_ParcelBoundaries.geojson'),
  ];
  writeFileSync(catalogue, JSON.stringify({ from: 'a test', licence: 'CC0', sources }));
  const program = (place: string, preset: string, format: string, ...paths: string[]) => ({
    place,
    preset,
    format,
    addresses: paths.map(path => mirror.origin + path),
    publisher: 'a state',
    terms: 'public record',
  });
  const programs = [
    program(
      '12',
      'florida_sdf',
      'csv',
      '/SDF/{dor_name}%20{dor}%20of%20{year}.csv',
      '/SDF/{dor_name}%20{dor}.csv',
    ),
    { ...program('34', 'new_jersey_sr1a', 'fixed_width', '/YTD{year}.txt', '/SR1A.txt'), together: true },
    { ...program('24', 'maryland_sales', 'geojson', '/MD_PropertySales.geojson'), within: 'county' },
  ];
  writeFileSync(list, JSON.stringify({ from: 'a test', programs }));
  settings = {
    DATABASE_URL: db.url,
    CATALOGUE_FILE: catalogue,
    SALES_FILE: list,
    ROADS_URL: `${mirror.origin}/roads.zip`,
    WETLANDS_URL: `${mirror.origin}/wetlands.zip`,
    FLOOD_URL: `${mirror.origin}/flood.geojson`,
    ELEVATION_URL: `${mirror.origin}/{tile}.tif`,
    WATER_URL: `${mirror.origin}/water.zip`,
    PLACES_URL: `${mirror.origin}/places.zip`,
    SOILS_URL: `${mirror.origin}/soils.zip`,
    PROTECTED_LAND_URL: `${mirror.origin}/padus.zip`,
    OPPORTUNITY_ZONES_URL: `${mirror.origin}/zones.zip`,
    TRANSMISSION_LINES_URL: `${mirror.origin}/lines.zip`,
    RAILROADS_URL: `${mirror.origin}/rails.zip`,
    URBAN_AREAS_URL: `${mirror.origin}/urban.zip`,
    FEEDS_DIR: feeds,
    PLAT_DIR: join(folder, 'plat'),
    SAMPLE_FEEDS: '0',
  };
});
afterAll(() => mirror.close());

test('counties of three states get a market without any typing: statistics, values, and advice for a deal', async () => {
  const { out } = await runCommand(settings, ['county', 'add', ...Object.keys(COUNTIES), '--json']);
  const added = JSON.parse(out) as {
    fips: string;
    kind: string;
    feed: string;
    status: string;
    message: string;
  }[];
  for (const { kind, status, message } of added)
    expect([kind, status, message]).toEqual([
      kind,
      /assessor|listings/.test(kind) ? 'written' : 'failed',
      message,
    ]);
  for (const fips of Object.keys(COUNTIES)) {
    for (const kind of ['parcels', 'sales']) {
      const feed = await loadFeed(join(feeds, `${fips}-${kind}.yaml`));
      const { status, counts } = await ingest(pool, feed, {}, { sharedDir: join(folder, 'downloads') });
      expect([feed.name, status]).toEqual([feed.name, 'merged']);
      if (kind === 'sales')
        expect([feed.name, counts.sales, counts.matched_keys]).toEqual([
          feed.name,
          { comps: SOLD - 9, multi_parcel: 0, disqualified: 0 },
          SOLD,
        ]);
    }
  }
  await recomputeStats(pool, { all: true });
  const { key } = await newCaller(db);
  for (const fips of Object.keys(COUNTIES)) {
    const market = await all<{ listings: number }>(
      pool,
      "select listings from region_stats where type = 'county' and code = $1",
      [fips],
    );
    expect([fips, market]).toEqual([fips, [{ listings: SOLD - 9 }]]);
    const valued = await valueCounty(pool, { fips: Number(fips) }, { signal: new AbortController().signal });
    expect([fips, valued.valued]).toEqual([fips, LOTS]);
    const [parcel] = await all<{ property_id: number }>(
      pool,
      'select property_id from parcels where fips = $1 order by property_id desc limit 1',
      [Number(fips)],
    );
    const { added: post, list } = dealCalls(api);
    await post(key, { property_id: parcel!.property_id, price: 30_000, purchase_price: '15000' });
    await doDealJobs(pool);
    const deals = (await list(key, '?explain=true')) as Deal[];
    expect([fips, deals[0]!.advice?.valuation_counts, deals[0]!.suggested_action]).toEqual([
      fips,
      true,
      expect.stringMatching(/drop|hold/),
    ]);
  }
}, 120_000);
