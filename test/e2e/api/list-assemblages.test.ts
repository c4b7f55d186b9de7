import { beforeAll, expect, test } from 'vitest';
import type { ParcelList } from '../../../api/v1/lists/list-schema.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { EXPORTS, exportFile, joinParts } from '../../support/exports.ts';
import { listsOf } from '../../support/lists.ts';
import { insertAssemblages, insertEstimates, insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);

const S = 33_019e8;
const H = 23_009e8;
const ADA = '11111111-1111-1111-1111-111111111111';
const BEA = '22222222-2222-2222-2222-222222222222';

const ofAda = { owner_key: ADA, owner_name: 'COLE ADA', mail_address: '1 ELM ST', mail_zip: '03280' };
const ofBea = { owner_key: BEA, owner_name: 'DOE BEA', mail_address: '2 OAK ST', mail_zip: '03280' };

/**
 * Ada has two lots across a county line, two in another place, and one alone. Bea has bought a lot of the
 * second pair, and her own assemblage has the first lot's id by mistake of a stale row.
 */
beforeAll(async () => {
  await insertParcels(db.pool, [
    { property_id: S + 1, ...ofAda, acres: 5 },
    { property_id: H + 1, ...ofAda, acres: 15 },
    { property_id: S + 3, ...ofAda, acres: 9 },
    { property_id: S + 4, ...ofBea, acres: 8 },
    { property_id: S + 5, ...ofAda, acres: 7 },
    { property_id: S + 6, acres: 6 },
    { property_id: S + 7, acres: 6 },
  ]);
  await insertAssemblages(db.pool, [
    { property_id: S + 1, assemblage_id: H + 1, parcels: 2, acres: 20 },
    { property_id: H + 1, assemblage_id: H + 1, parcels: 2, acres: 20 },
    { property_id: S + 3, assemblage_id: S + 3, parcels: 2, acres: 17 },
    { property_id: S + 4, assemblage_id: S + 3, parcels: 2, acres: 17 },
    { property_id: S + 6, assemblage_id: S + 6, parcels: 2, acres: 12 },
    { property_id: S + 7, assemblage_id: S + 6, parcels: 2, acres: 12 },
  ]);
  await insertEstimates(
    db.pool,
    new Map([
      [S + 1, [10_000, 2_000]],
      [H + 1, [30_000, 2_000]],
      [S + 3, [20_000, 2_222]],
      [S + 4, [16_000, 2_000]],
      [S + 5, [14_000, 2_000]],
    ]),
  );
});

const ALL = [S + 1, H + 1, S + 3, S + 4, S + 5, S + 6, S + 7];

async function fullList(settings: object = {}) {
  const { key } = await newCaller(db);
  const lists = listsOf(api, key);
  const { id } = await lists.make({ offer: { percent: 10 }, one_per_assemblage: true, ...settings });
  await lists.add(id, { property_ids: ALL });
  return { ...lists, key, id, patch: (body: object) => lists.send('PATCH', `${id}/rows/`, { ...body }) };
}

const ROWS = [H + 1, S + 3, S + 4, S + 5, S + 6, S + 7];

test('a row per assemblage has one offer for its parcels, and never those of another owner', async () => {
  const { id, rows, send } = await fullList();
  const { results, tokens } = await rows(id);
  expect(results.map(row => [row.property_id, row.assemblage_id, row.owner_parcels])).toEqual([
    [H + 1, H + 1, 2],
    [S + 3, S + 3, 1],
    [S + 4, S + 3, 1],
    [S + 5, null, 1],
    // The owner is unknown.
    [S + 6, S + 6, 1],
    [S + 7, S + 6, 1],
  ]);
  expect(results[0]).toMatchObject({ offer: 4_000, offer_parcels: 2, owner_acres: 20 });
  expect(tokens).toBe(6);
  const { counts, ...list } = (await send('GET', `${id}/`)).json as ParcelList;
  expect(list).toMatchObject({ one_per_owner: false, one_per_assemblage: true, rows: 7 });
  expect(counts).toMatchObject([{ rows: 6, parcels: 7 }]);
});

test('a price, a status, and a removal apply to the whole assemblage, but not to the owner', async () => {
  const { id, rows, patch, send } = await fullList();
  await rows(id);
  await patch({ property_ids: [H + 1], offer: 8_000, status: 'mailed' });
  await send('PATCH', `${id}/`, { one_per_assemblage: false });
  const { results } = await rows(id);
  const byId = new Map(results.map(row => [row.property_id, row]));
  // Split by acres.
  expect(byId.get(S + 1)).toMatchObject({ offer: 2_000, status: 'mailed' });
  expect(byId.get(H + 1)).toMatchObject({ offer: 6_000, status: 'mailed' });
  expect(byId.get(S + 3)).toMatchObject({ offer: 2_000, status: 'new' });
  await send('PATCH', `${id}/`, { one_per_assemblage: true });
  await send('DELETE', `${id}/rows/?property_ids=${H + 1}`);
  expect((await rows(id)).results.map(row => row.property_id)).toEqual(ROWS.slice(1));
});

test('turning on one grouping turns the other off, and both at once are refused', async () => {
  const { id, send } = await fullList();
  const settings = async (body: Record<string, unknown>) => (await send('PATCH', `${id}/`, body)).json;
  expect(await settings({ one_per_owner: true })).toMatchObject({
    one_per_owner: true,
    one_per_assemblage: false,
  });
  expect(await settings({ one_per_assemblage: true })).toMatchObject({
    one_per_owner: false,
    one_per_assemblage: true,
  });
  const both = await send('PATCH', `${id}/`, { one_per_owner: true, one_per_assemblage: true });
  expect(both.status).toBe(400);
  expect(both.json).toMatchObject({ error: { details: { one_per_assemblage: [expect.any(String)] } } });
});

const cellsOf = (text: string, column: string) => {
  const [head, ...lines] = text.replace('\ufeff', '').trim().split('\r\n');
  const at = head!.split(',').indexOf(column);
  return lines.map(line => line.split(',')[at]);
};

test('files have a row per assemblage too: of a list, its letters, and a filter', async () => {
  const { id, key } = await fullList({ one_per_assemblage: false });
  const read = async (order: object) => {
    const made = await exportFile(db, api, key, { format: 'csv', ...order });
    return (await joinParts(made)).toString();
  };
  const columns = ['property_id', 'assemblage_id', 'assemblage_acres', 'touching_parcels', 'owner_acres'];
  const list = await read({ list_id: id, one_per_assemblage: true, columns });
  expect(cellsOf(list, 'property_id')).toEqual(ROWS.map(String));
  expect(cellsOf(list, 'assemblage_id').slice(0, 4)).toEqual([H + 1, S + 3, S + 3, ''].map(String));
  expect(cellsOf(list, 'owner_acres').slice(0, 2)).toEqual(['20', '9']);
  const letters = await read({ list_id: id, one_per_assemblage: true, layout: 'mail' });
  expect(cellsOf(letters, 'offer')).toEqual(['4000', '2000', '1600', '1400']);
  expect(cellsOf(letters, 'parcels')).toEqual(['2', '1', '1', '1']);
  const filter = { counties: ['33019', '23009'], assemblage_parcels_min: 2 };
  const found = await read({ filter, one_per_assemblage: true, columns });
  expect(cellsOf(found, 'property_id')).toEqual([H + 1, S + 3, S + 4, S + 6, S + 7].map(String));
  expect(cellsOf(found, 'assemblage_acres')).toEqual(['20', '17', '17', '12', '12']);
  expect(cellsOf(found, 'touching_parcels')).toEqual(['2', '2', '2', '2', '2']);
  const both = { filter, format: 'csv', one_per_owner: true, one_per_assemblage: true };
  const refused = await api.call(EXPORTS, posting(key, JSON.stringify(both)));
  expect(refused.status).toBe(400);
});
