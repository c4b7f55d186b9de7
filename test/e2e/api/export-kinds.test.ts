import { describe, expect, test } from 'vitest';
import { uuidV5 } from '../../../shared/model/uuid.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  EXPORTS,
  type ExportJson,
  exportFile,
  joinParts,
  look,
  makeExports,
  order,
  periodOf,
} from '../../support/exports.ts';
import { listsOf } from '../../support/lists.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const FILTER = { county: '33019', acres_min: 5, acres_max: 20, out_of_state_owner: true };
const MARKETS = ['county:33019', 'county:33005', 'county:01001'].map(name => uuidV5(name));

type Properties = Record<string, unknown>;

/** The rows of a file of GeoJSON lines. */
async function featuresOf(made: ExportJson): Promise<Properties[]> {
  const lines = (await joinParts(made)).toString().trimEnd().split('\n');
  return lines.map(line => (JSON.parse(line) as { properties: Properties }).properties);
}

const send = (key: string, body: object, query = '') =>
  api.call(EXPORTS + query, posting(key, JSON.stringify(body)));
const quote = async (key: string, body: object) => (await send(key, body, '?quote=true')).json;

describe('an export of a list', () => {
  test('has its rows as the list shows them, with their notes, free if already paid for', async () => {
    const { key, accountId } = await newCaller(db, { company: 'mailers' });
    const lists = listsOf(api, key);
    const list = await lists.make({ one_per_owner: true, offer: { percent: 30 } });
    await lists.add(list.id, { filter: FILTER });
    const { results } = await lists.rows(list.id, '?page_size=500');
    const [unmailed, mailed] = results as [(typeof results)[0], (typeof results)[0]];
    await lists.send('PATCH', `${list.id}/rows/`, {
      property_ids: [unmailed.property_id],
      do_not_mail: true,
    });
    await lists.send('PATCH', `${list.id}/rows/`, {
      property_ids: [mailed.property_id],
      status: 'mailed',
      tags: ['warm', 'call 603-555-0134'],
      note: '603-555-0134',
    });
    const body = { list_id: list.id, format: 'geojsonl' };
    expect(await quote(key, body)).toEqual({ tokens: 0, at_most: 0 });
    const before = await periodOf(db.pool, accountId);
    const made = await exportFile(db, api, key, body);
    expect(made).toMatchObject({ rows: results.length - 1, free_rows: results.length - 1, tokens: 0 });
    expect(await periodOf(db.pool, accountId)).toEqual(before);
    const rows = await featuresOf(made);
    const shown = new Map(results.map(row => [row.property_id, row]));
    for (const row of rows) {
      const { value, offer, needs_review, owner_parcels, owner_acres, mail_address } = shown.get(
        Number(row.property_id),
      )!;
      expect(row).toMatchObject({ value, offer, owner_parcels, owner_acres, mail_address });
      expect(row.needs_review ?? '').toBe(needs_review.join('; '));
    }
    const marked = rows.find(row => row.property_id === mailed.property_id)!;
    expect(marked).toMatchObject({ status: 'mailed', tags: 'warm' });
    expect(JSON.stringify(rows)).not.toMatch(/555.?0134/);
    // Only those who are still to be mailed; and every parcel in place of one an owner.
    const fresh = await exportFile(db, api, key, { ...body, status: 'new', columns: ['offer', 'apn'] });
    expect(fresh.rows).toBe(results.length - 2);
    expect(Object.keys((await featuresOf(fresh))[0]!)).toEqual(['offer', 'apn', 'sources']);
    const parcels = await exportFile(db, api, key, { ...body, one_per_owner: false, status: 'new' });
    expect(parcels.rows).toBeGreaterThan(fresh.rows!);
    expect(parcels.tokens).toBe(parcels.rows! - fresh.rows!);
  });

  test("another company's list is not found, and an export whose list is deleted meanwhile fails and costs nothing", async () => {
    const [ours, theirs] = [await newCaller(db), await newCaller(db)];
    const lists = listsOf(api, ours.key);
    const list = await lists.make();
    await lists.add(list.id, { filter: FILTER });
    const body = { list_id: list.id, format: 'csv' };
    const refused = await send(theirs.key, body);
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({
      error: { details: { list_id: [expect.any(String)] } },
    });
    const { id } = await order(api, ours.key, body);
    await lists.send('DELETE', `${list.id}/`);
    await makeExports(db);
    expect(await look(api, ours.key, id)).toMatchObject({
      state: 'failed',
      error: { details: { list_id: [expect.any(String)] } },
    });
    expect(await periodOf(db.pool, ours.accountId)).toEqual({ used: 0, held: 0 });
  });
});

test('one row per owner: the largest parcel, and the others cost nothing', async () => {
  const { key } = await newCaller(db);
  const body = { filter: { county: '33019' }, format: 'geojsonl', one_per_owner: true };
  const quoted = await quote(key, body);
  const made = await exportFile(db, api, key, body);
  expect(quoted).toEqual({ tokens: made.tokens, at_most: made.tokens });
  expect(made.tokens).toBe(made.rows);
  const rows = await featuresOf(made);
  const { rows: all } = await db.pool.query<{ rows: number }>(
    'select count(*)::int as rows from parcel_filters',
  );
  expect(rows.reduce((sum, row) => sum + Number(row.owner_parcels), 0)).toBe(all[0]!.rows);
  const several = rows.find(row => Number(row.owner_parcels) > 1)!;
  const portfolio = (
    await api.call(`/api/public/v1/properties/${several.property_id}/owner-portfolio/`, { key })
  ).json as { results: { effective_acres: number | null }[] };
  const acres = portfolio.results.map(parcel => parcel.effective_acres ?? 0);
  expect(several.effective_acres).toBeGreaterThanOrEqual(Math.max(...acres));
});

test('a quote hides a small number of owners, even of many parcels', async () => {
  const { rowCount } = await db.pool.query(
    `update parcel_filters set owner_key = (select owner_key from owner_parcels limit 1)
     where fips = 33019 and effective_acres between 1 and 2`,
  );
  expect(rowCount).toBeGreaterThan(25);
  const { key } = await newCaller(db);
  const body = {
    filter: { county: '33019', acres_min: 1, acres_max: 2 },
    format: 'csv',
    one_per_owner: true,
  };
  expect(await quote(key, body)).toEqual({ tokens: null, at_most: rowCount });
  expect(await exportFile(db, api, key, body)).toMatchObject({ rows: 1, tokens: 1 });
});

test('comps: the same as comps/, in its order, paid for once', async () => {
  const { key } = await newCaller(db);
  const comps = { fips: '33019', acres_min: 2, order: '-price' };
  const { json } = await api.call('/api/public/v1/comps/?fips=33019&acres_min=2&order=-price&page_size=500', {
    key,
  });
  const { results } = json as { results: Properties[] };
  const body = { comps, format: 'geojsonl' };
  expect(await quote(key, body)).toEqual({ tokens: results.length, at_most: results.length });
  const made = await exportFile(db, api, key, body);
  expect(made).toMatchObject({ rows: results.length, free_rows: 0, tokens: results.length });
  const rows = await featuresOf(made);
  const texts = (row: Properties) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) =>
        ['sources', 'photos'].includes(name) || value === null || value === ''
          ? []
          : [
              [
                name,
                name.endsWith('tude')
                  ? Number(value)
                  : name === 'sold_date'
                    ? String(value).slice(0, 10)
                    : value,
              ],
            ],
      ),
    );
  expect(rows.map(texts)).toEqual(results.map(texts));
  // Also those of a roll's sales.
  expect(rows.filter(row => row.sources === '')).toEqual([]);
  expect(await exportFile(db, api, key, { ...body, format: 'csv' })).toMatchObject({
    free_rows: results.length,
    tokens: 0,
  });
  await db.pool.query('update listings set changed_run = changed_run + 1 where id = $1', [results[0]!.id]);
  expect(await exportFile(db, api, key, { ...body, format: 'geoparquet' })).toMatchObject({ tokens: 1 });
});

test('markets: one line per bucket, ten tokens per market with statistics', async () => {
  const { key } = await newCaller(db);
  const { json } = await api.call('/api/public/v1/markets-stats/33019/stats/', { key });
  const { stats, as_of } = json as { stats: { type: string; data: Properties }[]; as_of: string };
  const columns = ['code', 'bucket', 'as_of', 'Active', 'Sold: 1yr', 'Median Sold PPA'];
  const body = { markets: MARKETS, format: 'csv', columns };
  const quoted = (await quote(key, body)) as { tokens: number };
  const made = await exportFile(db, api, key, body);
  expect(made.tokens).toBe(quoted.tokens);
  const lines = (await joinParts(made)).toString().trimEnd().split('\r\n');
  expect(lines[0]).toBe(`\ufeff${columns.join(',')},sources`);
  const wanted = stats.map(({ type, data }) =>
    ['33019', type, as_of, data.Active, data['Sold: 1yr'], data['Median Sold PPA'] ?? ''].join(','),
  );
  const ours = lines.filter(line => line.startsWith('33019'));
  expect(ours.map(line => line.split(',').slice(0, 6).join(','))).toEqual(wanted);
  const markets = new Set(lines.slice(1).map(line => line.split(',')[0])).size;
  expect(made).toMatchObject({ rows: lines.length - 1, free_rows: 0, tokens: 10 * markets });
  expect(await exportFile(db, api, key, body)).toMatchObject({ free_rows: made.rows, tokens: 0 });
});

test.each<[object, string[]]>([
  [{}, ['filter', 'list_id', 'comps', 'markets']],
  [{ filter: FILTER, comps: { fips: '33019' } }, ['filter', 'comps']],
  [{ list_id: '1' }, ['list_id']],
  [{ comps: { acres_min: 3 } }, ['comps.fips']],
  [{ comps: { fips: '99999' } }, ['comps.fips']],
  [{ comps: { fips: '33019', page: 2 } }, ['comps.page']],
  [{ comps: { fips: '33019' }, boundary: true }, ['boundary']],
  [{ comps: { fips: '33019' }, columns: ['owner_name'] }, ['columns']],
  [{ comps: { polygon: { type: 'Line' } } }, ['comps.polygon']],
  [{ markets: ['33019'] }, ['markets']],
  [{ markets: [uuidV5('nowhere')] }, ['markets']],
  [{ markets: MARKETS, format: 'kml' }, ['format']],
  [{ markets: MARKETS, format: 'gpkg' }, ['format']],
  [{ markets: MARKETS, one_per_owner: true }, ['one_per_owner']],
  [{ filter: FILTER, status: 'new' }, ['status']],
  [{ filter: FILTER, columns: ['offer'] }, ['columns']],
  [{ filter: FILTER, format: undefined }, ['format']],
  [{ filter: FILTER, format: 'pdf' }, ['format']],
  [{ filter: { acres_min: 3 } }, ['filter.county']],
  [{ filter: { county: '99999' } }, ['filter.county']],
  [{ filter: { ...FILTER, colour: 'red' } }, ['filter.colour']],
  [{ filter: FILTER, columns: ['phone'] }, ['columns']],
  [{ filter: FILTER, columns: ['apn', 'apn'] }, ['columns']],
  [{ filter: FILTER, format: 'xlsx', boundary: true }, ['boundary']],
])('%j is refused by its field', async (body, fields) => {
  const { key, accountId } = await newCaller(db);
  const reply = await send(key, { format: 'csv', ...body });
  expect(reply.status).toBe(400);
  const { error } = reply.json as { error: { details: Record<string, string[]> } };
  expect(Object.keys(error.details)).toEqual(fields);
  expect(await periodOf(db.pool, accountId)).toEqual({ used: 0, held: 0 });
});
