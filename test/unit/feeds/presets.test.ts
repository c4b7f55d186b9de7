import { beforeAll, describe, expect, test } from 'vitest';
import { LISTING_FIELD_NAMES } from '../../../shared/domain/listing-fields.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/domain/parcel-fields.ts';
import { presets } from '../../../workers/feeds/presets.ts';
import { readInput } from '../../../workers/formats/read.ts';
import type { InputSpec, SourceRow } from '../../../workers/formats/rows.ts';
import type { Refused } from '../../../workers/ingest/map/fields.ts';
import { compileListingMapper, type MappedListing } from '../../../workers/ingest/map/listing.ts';
import { compileParcelMapper, type MappedParcel } from '../../../workers/ingest/map/parcel.ts';
import { assessor, feedOf, listings, presetFixtures } from './support.ts';

async function rowsOf(input: InputSpec): Promise<SourceRow[]> {
  const context = { baseDir: presetFixtures, tmpDir: '/tmp', signal: new AbortController().signal, env: {} };
  const rows: SourceRow[] = [];
  for await (const batch of readInput(input, context)) {
    expect(batch.bad).toEqual([]);
    rows.push(...batch.rows);
  }
  return rows;
}

type Mapped<T> = { row: T | Refused; fields: Record<string, unknown> };

const named = (names: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(names.map((name, i) => [name, values[i]]).filter(([, value]) => value !== null));

async function parcels(preset: string, source: string, format: string): Promise<Mapped<MappedParcel>[]> {
  const feed = assessor(
    feedOf(`name: p\nkind: assessor\npreset: ${preset}\nroll: { source: ${source}, format: ${format} }\n`),
  );
  const rows = await rowsOf(feed.roll.input);
  const map = compileParcelMapper(feed.roll, { fips: feed.fips });
  map.prepare(rows);
  return rows.map(row => {
    const mapped = map(row);
    return { row: mapped, fields: mapped.ok ? named(PARCEL_FIELD_NAMES, mapped.values) : {} };
  });
}

describe('Regrid', () => {
  let mapped: Mapped<MappedParcel>[];
  beforeAll(async () => {
    mapped = await parcels('regrid', 'regrid.csv', 'csv');
  });

  test('maps every column of the schema that we keep', () => {
    expect(mapped[0]!.row).toMatchObject({
      ok: true,
      fips: 26163,
      key: 'BF4EB8B0-B6D0-4AC0-8AA5-74C0BF7BC376',
      dropped: null,
    });
    expect(mapped[0]!.fields).toEqual({
      apn: '02004940',
      acres: 0.5,
      owner_name: 'DOE JANE',
      owner_name_2: 'DOE JOHN',
      mail_address: '12 ELM ST',
      mail_city: 'DETROIT',
      mail_state: 'MI',
      mail_zip: '48201',
      situs_address: '100 OAK AVE',
      situs_city: 'DETROIT',
      situs_state: 'MI',
      situs_zip: '48226',
      subdivision: 'OAK PARK SUB',
      zoning_code: 'R1',
      land_use_code: '401',
      school_district: 'Detroit City School District',
      structure_count: 2,
      building_sqft: 1728,
      year_built: 1924,
      assessed_total_value: 50250,
      assessed_land_value: 9000,
      assessed_improvement_value: 41250,
      last_sale_date: '2021-06-30',
      last_sale_price: 125000,
      vacant: false,
    });
  });

  test('falls back on the acreage of the county map and the footprints', () => {
    expect(mapped[1]!.fields).toMatchObject({
      acres: 1.25,
      structure_count: 0,
      vacant: true,
      mail_state: 'OH',
    });
  });
});

describe('Florida NAL', () => {
  let mapped: Mapped<MappedParcel>[];
  beforeAll(async () => {
    mapped = await parcels('florida_nal', 'florida-nal.csv', 'csv');
  });

  test('Miami-Dade is county 23 and FIPS 12086; a sale counts from the first of its month', () => {
    expect(mapped[0]!.row).toMatchObject({ fips: 12086, key: '0821280040031', dropped: null });
    expect(mapped[0]!.fields).toEqual({
      apn: '0821280040031',
      acres: 0.25,
      owner_name: 'PINE HOLDINGS LLC',
      mail_address: '1 BAY ST STE 200',
      mail_city: 'ATLANTA',
      mail_state: 'GA',
      mail_zip: '30309',
      situs_address: 'SW 8 ST',
      situs_city: 'MIAMI',
      situs_state: 'FL',
      situs_zip: '33130',
      land_use_code: '000',
      structure_count: 0,
      assessed_total_value: 78000,
      market_total_value: 85000,
      market_land_value: 85000,
      last_sale_date: '2024-07-01',
      last_sale_price: 90000,
      sale_price_code: '01',
      vacant: true,
    });
  });

  test('an improved parcel of Broward', () => {
    expect(mapped[1]!.row).toMatchObject({ fips: 12011 });
    expect(mapped[1]!.fields).toMatchObject({
      acres: 0.2,
      building_sqft: 2150,
      year_built: 1985,
      vacant: false,
    });
  });

  test('a county number that does not exist rejects the row', () => {
    expect(mapped[2]!.row).toMatchObject({ ok: false, field: 'fips', reason: 'unknown_fips' });
  });

  test('all 67 county numbers are codes of Florida', () => {
    const fips = presets.florida_nal.columns as { fips: { values: Record<string, string> } };
    const codes = Object.values(fips.fips.values);
    expect(new Set(codes).size).toBe(67);
    expect(fips.fips.values).toMatchObject({ 11: '12001', 26: '12031', 58: '12095', 77: '12133' });
  });
});

describe('Texas StratMap', () => {
  let mapped: Mapped<MappedParcel>[];
  beforeAll(async () => {
    mapped = await parcels('texas_stratmap', 'texas-stratmap.geojson', 'geojson');
  });

  test('names in lower case are found; "Null" and blanks are nothing', () => {
    expect(mapped[0]!.row).toMatchObject({ fips: 48085, key: 'R000011', dropped: null });
    expect(mapped[0]!.fields).toEqual({
      apn: 'A0011-0001',
      acres: 160.5,
      owner_name: 'LONE STAR RANCH LP',
      mail_address: 'PO BOX 9',
      mail_city: 'ANNA',
      mail_state: 'TX',
      mail_zip: '75409',
      situs_address: 'FM 1234',
      situs_city: 'ANNA',
      situs_state: 'TX',
      situs_zip: '75409',
      land_use_code: 'D1',
      market_total_value: 963000,
      market_land_value: 963000,
      market_improvement_value: 0,
    });
  });

  test("the row's own unit of area counts; the local use where there is no state use", () => {
    expect(mapped[1]!.fields).toMatchObject({
      apn: 'R000012',
      acres: 0.25,
      land_use_code: 'RES',
      mail_address: '4 MAIN ST',
      situs_state: 'TX',
      year_built: 1985,
    });
  });

  test('an unknown unit and a negative value are dropped, not the row', () => {
    expect(mapped[2]!.row).toMatchObject({
      ok: true,
      dropped: [
        { field: 'acres', reason: 'unknown_unit' },
        { field: 'market_land_value', reason: 'negative', message: "'-1' is negative" },
      ],
    });
  });
});

describe('RESO', () => {
  const byKey = new Map<unknown, Mapped<MappedListing>>();
  beforeAll(async () => {
    const feed = listings(
      feedOf(
        'name: mls\nkind: listings\npreset: reso\nlistings: { source: reso.ndjson, format: ndjson, label: MLS }\n',
      ),
    );
    const rows = await rowsOf(feed.listings.input);
    const map = compileListingMapper(feed.listings);
    map.prepare(rows);
    for (const row of rows) {
      const mapped = map(row);
      byKey.set(row.values.ListingKey, {
        row: mapped,
        fields: mapped.ok ? named(LISTING_FIELD_NAMES, mapped.values) : {},
      });
    }
  });

  test('maps the Data Dictionary, photographs in their order and without documents', () => {
    expect(byKey.get('K1')!.fields).toEqual({
      source: 'MLS',
      source_id: 'K1',
      status: 'ACTIVE',
      address: 'Valley Rd',
      city: 'Washington',
      state: 'NH',
      zip: '03280',
      county: 'Sullivan',
      apn: '14-70',
      latitude: 43.18,
      longitude: -72.1,
      lot_acres: 5.5,
      list_price: 100000,
      listed_date: '2025-05-01',
      status_date: '2025-08-16',
      days_on_market: 107,
      sale_type: 'Unimproved Land',
      url: 'https://listings.example/k',
      photos: ['https://img.example/1.jpg', 'https://img.example/2.jpg'],
    });
  });

  test('knows every StandardStatus in both spellings', () => {
    const statuses = Object.fromEntries(
      [...byKey]
        .filter(([key]) => Number(String(key).slice(1)) <= 13)
        .map(([key, { fields }]) => [key, fields.status]),
    );
    expect(statuses).toEqual({
      K1: 'ACTIVE',
      K2: 'PENDING',
      K3: 'PENDING',
      K4: 'PENDING',
      K5: 'SOLD',
      K6: 'OFF_MARKET',
      K7: 'OFF_MARKET',
      K8: 'OFF_MARKET',
      K9: 'OFF_MARKET',
      K10: 'OFF_MARKET',
      K11: 'OFF_MARKET',
      K12: 'OFF_MARKET',
      K13: 'OFF_MARKET',
    });
    expect(byKey.get('K5')!.fields).toMatchObject({ sold_price: 95000, sold_date: '2025-08-15' });
  });

  test('the lot size comes from what is stated: hectares, then square feet', () => {
    expect(byKey.get('K14')!.fields.lot_acres).toBeCloseTo(4.942_107_6, 6);
    expect(byKey.get('K14')!.fields).not.toHaveProperty('photos');
    expect(byKey.get('K15')!.fields).toMatchObject({ lot_acres: 0.25, listed_date: '2025-04-28' });
  });

  test('a lease is left out; a status that nobody knows rejects the row', () => {
    expect(byKey.get('K16')!.row).toMatchObject({ ok: false, reason: 'skipped' });
    expect(byKey.get('K17')!.row).toMatchObject({
      ok: false,
      field: 'status',
      reason: 'unknown_status',
      message: expect.stringContaining("'Sold!'"),
    });
  });
});
