import { expect, test } from 'vitest';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Feature, ingestRoll, lot } from '../support/ingest.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { regions: true });
const { folder, pool } = db;
const api = await startTestApi(db, { pages: true });
const { key } = await newCaller(db);

const ID = 3301900000001;
const LISTING = '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11';

const merge = (features: Feature[]) =>
  ingestRoll(pool, folder, 'roll', features, {
    columns: { owner_name: 'OWNER', acres: 'ACRES', assessed_total_value: 'VALUE' },
    gates: { max_key_drop_percent: 100, max_row_drop_percent: 100 },
  });
const parcel = (pin: string, OWNER: string, ACRES: number, VALUE: number, at = 1): Feature => ({
  properties: { PIN: pin, OWNER, ACRES, VALUE },
  geometry: lot(at),
});

async function timeline(query = 'timeline=true') {
  const { json, headers } = await api.call(`/api/public/v1/properties/${ID}/?${query}`, { key });
  expect(headers.get('x-tokens-used')).toBe('10');
  return (json as { timeline?: { at: string; field: string; was: unknown; is: unknown }[] }).timeline;
}

test('a parcel has its history, and its page shows it', async () => {
  const other = parcel('2', 'B', 1, 1, 2);
  await merge([parcel('1', 'ADAMS <b>', 2, 100), other]);
  expect(await timeline()).toEqual([]);
  expect(await timeline('')).toBeUndefined();
  await merge([parcel('1', 'BAKER', 2, 120), other]);
  await merge([other]);
  await merge([parcel('1', 'BAKER', 3, 120, 5), other]);
  await pool.query('insert into comp_land (listing_id, fips, property_id) values ($1, 33019, $2)', [
    LISTING,
    ID,
  ]);
  await pool.query(
    `insert into changes (at, type, fips, property_id, listing_id, fields) values
       (now(), 'listing.new', 33019, null, $1, '{"status": [null, "ACTIVE"], "price": [null, 50000], "city": [null, ""]}'),
       (now(), 'listing.changed', 33019, null, $1, '{"price": [50000, 45000]}'),
       (now(), 'valuation.moved', 33019, $2, null, '{"mean_adjusted_price": [41000.5, 48000], "model_version": ["8", "9"]}')`,
    [LISTING, ID],
  );
  const entries = (await timeline())!;
  expect(entries.map(({ at: _at, ...entry }) => entry)).toEqual([
    { field: 'model_version', was: '8', is: '9' },
    { field: 'mean_adjusted_price', was: 41_000.5, is: 48_000 },
    { field: 'listing.price', was: 50_000, is: 45_000 },
    { field: 'listing.status', was: null, is: 'ACTIVE' },
    { field: 'listing.price', was: null, is: 50_000 },
    { field: 'on_roll', was: false, is: true },
    expect.objectContaining({ field: 'acres', was: 2, is: 3 }),
    expect.objectContaining({ field: 'point' }),
    expect.objectContaining({ field: 'boundary' }),
    { field: 'effective_acres', was: 2, is: 3 },
    { field: 'on_roll', was: true, is: false },
    { field: 'owner_name', was: 'ADAMS <b>', is: 'BAKER' },
    { field: 'assessed_total_value', was: 100, is: 120 },
  ]);

  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const { text } = await ana.open(`/data?county=33019&parcel=${ID}`);
  const history = /<h2>History<\/h2>.*?<\/table>/s.exec(text)![0];
  const rows = [...history.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) => cell),
  );
  const today = new Date().toISOString().slice(0, 4);
  expect(rows.slice(1)).toEqual([
    [expect.any(String), '$41,001', '$48,000', expect.stringContaining(today)],
    [expect.stringMatching(/price/i), '$50,000', '$45,000', expect.any(String)],
    [expect.any(String), '–', 'ACTIVE', expect.any(String)],
    [expect.stringMatching(/price/i), '–', '$50,000', expect.any(String)],
    [expect.stringMatching(/roll/i), 'no', 'yes', expect.any(String)],
    [expect.stringMatching(/acres/i), '2', '3', expect.any(String)],
    [expect.stringMatching(/boundary/i), '–', expect.any(String), expect.any(String)],
    [expect.stringMatching(/roll/i), 'yes', 'no', expect.any(String)],
    [expect.stringMatching(/owner/i), 'ADAMS &lt;b>', 'Baker', expect.any(String)],
    [expect.stringMatching(/assessed/i), '$100', '$120', expect.any(String)],
  ]);
});
