import readSheet from 'read-excel-file/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAIL_COLUMNS, MAIL_PRESET_NAMES, MAIL_PRESETS } from '../../../shared/exports/mail-layout.ts';
import { referenceOf } from '../../../shared/model/row-reference.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { EXPORTS, exportFile, joinParts } from '../../support/exports.ts';
import { listsOf } from '../../support/lists.ts';
import { HAS_OPENPYXL, readWithOpenpyxl } from '../../support/openpyxl.ts';
import { insertEstimates, insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);

const S = 33_019e8;
const ADA = '11111111-1111-1111-1111-111111111111';
const BEA = '22222222-2222-2222-2222-222222222222';
const CAL = '33333333-3333-3333-3333-333333333333';

const ADAS = {
  owner_key: ADA,
  owner_name: 'MCKAY, ADA L & JOHN',
  mail_address: '12 N MAIN ST APT 4B',
  mail_city: 'FORT ANN',
  mail_state: 'NY',
  mail_zip: '01234',
};

/** Ada and John have three parcels, one of them without an estimate. A town has one without. */
beforeAll(async () => {
  await insertParcels(db.pool, [
    { property_id: S + 1, ...ADAS, acres: 5, apn: '000007 000044 000000', situs_address: 'OLD ROAD' },
    {
      property_id: S + 2,
      ...ADAS,
      acres: 9.5,
      apn: '000007 000045 000000',
      situs_address: '9 MILL ST',
      legal_description: 'LOT 9, TOWN OF ADA',
    },
    { property_id: S + 3, ...ADAS, acres: 2, apn: '000007 000046 000000' },
    {
      property_id: S + 4,
      owner_key: BEA,
      owner_name: 'ESTATE OF BEA COLE',
      acres: 1,
      apn: '8-1',
      mail_address: 'PO BOX 1',
      mail_zip: '03280',
    },
    { property_id: S + 5, owner_key: CAL, owner_name: 'CAL, TOWN OF', acres: 3 },
  ]);
  await insertEstimates(
    db.pool,
    new Map([
      [S + 1, [10_000, 2_000]],
      [S + 2, [20_000, 2_222]],
      [S + 4, [30_000, 4_285]],
    ]),
  );
});

async function mailing(settings: object = {}) {
  const { key, accountId } = await newCaller(db);
  const lists = listsOf(api, key);
  const { id } = await lists.make({
    one_per_owner: true,
    offer: { percent: 30, percent_high: 50 },
    ...settings,
  });
  await lists.add(id, { property_ids: [1, 2, 3, 4, 5].map(n => S + n) });
  const body = { list_id: id, format: 'csv', layout: 'mail' };
  return {
    ...lists,
    id,
    key,
    accountId,
    order: (more: object = {}) => exportFile(db, api, key, { ...body, ...more }),
    refuse: (more: object) => api.call(EXPORTS, posting(key, JSON.stringify({ ...body, ...more }))),
    async read(more: object = {}): Promise<Record<string, unknown>[]> {
      const made = await exportFile(db, api, key, { ...body, format: 'xlsx', ...more });
      const [sheet] = (await readSheet(await joinParts(made))) as unknown as { data: unknown[][] }[];
      const [names, ...rows] = sheet!.data;
      return rows.map(row => Object.fromEntries(row.map((cell, i) => [names![i], cell])));
    },
  };
}

describe('one row per letter', () => {
  test('in title case, with split names, for the parcels with a price', async () => {
    const { read, rows, id } = await mailing();
    const letters = await read();
    expect(letters).toEqual([
      {
        reference: referenceOf(S + 2),
        first_name: 'Ada',
        last_name: 'McKay',
        full_name: 'Ada L and John McKay',
        salutation: 'Ada and John',
        company: null,
        mail_address: '12 N Main St Apt 4B',
        mail_city: 'Fort Ann',
        mail_state: 'NY',
        mail_zip: '01234',
        offer: 9_000,
        offer_high: 15_000,
        apns: '7-44; 7-45',
        parcels: 2,
        acres: 14.5,
        situs_address: '9 Mill St',
        situs_county: 'Sullivan',
        situs_state: 'NH',
        legal_description: 'Lot 9, Town of Ada',
      },
      expect.objectContaining({
        reference: referenceOf(S + 4),
        full_name: 'Estate of Bea Cole',
        salutation: 'Personal Representative',
        mail_address: 'PO Box 1',
        offer: 9_000,
        parcels: 1,
      }),
    ]);
    expect(Object.keys(letters[0]!)).toEqual(Object.keys(MAIL_COLUMNS));
    // The references are those of the list's rows.
    expect((await rows(id)).results.map(row => row.reference)).toEqual(
      expect.arrayContaining(letters.map(letter => letter.reference)),
    );
  });

  test('rows without a price are in the file only if the order says so', async () => {
    const { read, send, id } = await mailing();
    const all = await read({ only_with_offer: false });
    expect(all.map(letter => [letter.offer, letter.parcels, letter.acres])).toEqual([
      [9_000, 3, 16.5],
      [9_000, 1, 1],
      [null, 1, 3],
    ]);
    expect(all[2]).toMatchObject({ full_name: 'Town of Cal', company: 'Town of Cal', first_name: null });
    // An entered price is for all of the owner's parcels.
    await send('PATCH', `${id}/rows/`, {
      offers: [
        { property_id: S + 2, offer: 20_000 },
        { property_id: S + 5, offer: 700 },
      ],
    });
    expect((await read()).map(letter => [letter.offer, letter.offer_high, letter.parcels])).toEqual([
      [20_000, null, 3],
      [9_000, 15_000, 1],
      [700, null, 1],
    ]);
  });

  test('the quote, the reserved tokens, and the bill count letters', async () => {
    const { order, key, accountId, id } = await mailing();
    const made = await order();
    expect(made).toMatchObject({ state: 'ready', rows: 2, tokens: 2 });
    const { rows } = await db.pool.query(
      'select tokens_used::int as used, tokens_held::int as held from usage_periods where account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ used: 2, held: 0 }]);
    const quote = { list_id: id, format: 'csv', layout: 'mail', only_with_offer: false };
    expect((await api.call(`${EXPORTS}?quote=true`, posting(key, JSON.stringify(quote)))).json).toMatchObject(
      { tokens: null, at_most: 25 },
    );
  });

  test('do-not-mail owners get no letter', async () => {
    const { read, send, rows, id } = await mailing();
    await rows(id);
    await send('PATCH', `${id}/rows/`, { property_ids: [S + 2], do_not_mail: true });
    expect((await read()).map(letter => letter.reference)).toEqual([referenceOf(S + 4)]);
  });

  test('a letter per parcel without grouping, and only rows with a status', async () => {
    const { read, send, rows, id } = await mailing({ one_per_owner: false });
    await rows(id);
    await send('PATCH', `${id}/rows/`, { property_ids: [S + 1], status: 'mailed' });
    expect((await read()).map(letter => [letter.apns, letter.parcels, letter.offer])).toEqual([
      ['7-44', 1, 3_000],
      ['7-45', 1, 6_000],
      ['8-1', 1, 9_000],
    ]);
    expect((await read({ status: 'new' })).map(letter => letter.apns)).toEqual(['7-45', '8-1']);
    expect((await read({ status: 'new', one_per_owner: true })).map(letter => letter.apns)).toEqual([
      '7-44; 7-45',
      '8-1',
    ]);
  });

  test('CSV and XLSX have the same cells, and the credits are a second file', async () => {
    const { order } = await mailing();
    const columns = ['full_name', 'mail_zip', 'offer'];
    const csv = await order({ columns });
    expect((await joinParts(csv)).toString()).toBe(
      '\ufefffull_name,mail_zip,offer\r\nAda L and John McKay,01234,9000\r\nEstate of Bea Cole,03280,9000\r\n',
    );
    const { credits_url: credits } = csv as unknown as { credits_url: string };
    const text = await fetch(credits);
    expect(text.headers.get('content-disposition')).toMatch(/-credits\.txt$/);
    expect(await text.text()).toMatch(/^Sullivan, NH: /);
    const sheet = await joinParts(await order({ columns, format: 'xlsx' }));
    if (HAS_OPENPYXL)
      expect(readWithOpenpyxl(sheet)).toEqual([
        columns,
        ['Ada L and John McKay', '01234', 9_000],
        ['Estate of Bea Cole', '03280', 9_000],
      ]);
  });

  test.each(MAIL_PRESET_NAMES)('the columns of %s', async preset => {
    const { read } = await mailing();
    const [letter] = await read({ preset });
    expect(Object.keys(letter!)).toEqual(MAIL_PRESETS[preset].columns.map(([name]) => name));
    expect(Object.values(letter!)).toEqual(
      expect.arrayContaining(['12 N Main St Apt 4B', 'NY', '01234', referenceOf(S + 2)]),
    );
  });
});

test('a file of the usual layout can be limited to rows with a price', async () => {
  const { order } = await mailing();
  expect(await order({ layout: 'plat' })).toMatchObject({ rows: 3, credits_url: null });
  const made = await order({
    layout: 'plat',
    only_with_offer: true,
    columns: ['apn', 'offer', 'offer_parcels'],
  });
  expect(made).toMatchObject({ rows: 2, tokens: 0 });
  expect((await joinParts(made)).toString()).toMatch(/000007 000045 000000,9000,2,/);
});

test.each([
  [{ format: 'geojsonl' }, 'format'],
  [{ boundary: true }, 'boundary'],
  [{ columns: ['owner_name'] }, 'columns'],
  [{ preset: 'lob', columns: ['offer'] }, 'columns'],
  [{ preset: 'nobody' }, 'preset'],
  [{ layout: 'plat', preset: 'lob' }, 'preset'],
  [{ list_id: undefined, filter: { county: '33019' } }, 'layout'],
  [
    { list_id: undefined, layout: undefined, filter: { county: '33019' }, only_with_offer: true },
    'only_with_offer',
  ],
])('%j is refused', async (more, field) => {
  const { refuse } = await mailing();
  const refused = await refuse(more);
  expect(refused.status).toBe(400);
  expect(refused.json).toMatchObject({ error: { details: { [field]: [expect.any(String)] } } });
});
