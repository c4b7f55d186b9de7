import { beforeEach, expect, test } from 'vitest';
import { SKIP_TRACE_EXAMPLE as EXAMPLE } from '../../api/v1/examples/examples.ts';
import { suppress } from '../../shared/contacts/suppression.ts';
import { referenceOf } from '../../shared/model/row-reference.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });

const ID: number = EXAMPLE.property_id;
const OTHERS = [3301900000047, 3301900000048, 3301900000049];
const NUMBER: string = EXAMPLE.response.phones[0]!.number;

let ana: ReturnType<typeof visitor>;
let list: string;
beforeEach(async () => {
  await db.pool.query('truncate contact_suppressions');
  ana = visitor(api);
  await ana.signIn(await newUser(db));
  list = await makeList('Mailing');
  await setStatus('mailed', [ID, ...OTHERS]);
});

async function makeList(name: string): Promise<string> {
  const path = (await ana.submit('/lists', { name })).headers.get('location')!;
  await ana.submit(path, { do: 'add', county: '', numbers: [ID, ...OTHERS].join('\n') });
  return path;
}
const setStatus = (status: string, ids: number[]) =>
  ana.submit(
    list,
    new URLSearchParams([
      ['do', 'status'],
      ['status', status],
      ...ids.map(id => ['property_id', String(id)]),
    ]),
  );
const idOf = (path: string) => path.split('/')[2]!;
const find = async (q: string) => (await ana.open(`/replies?${new URLSearchParams({ q })}`)).text;
const reply = (id: number, fields: Record<string, string>, q = referenceOf(id)) =>
  ana.submit(`/replies?${new URLSearchParams({ q })}`, {
    list_id: idOf(list),
    property_id: String(id),
    note: '',
    price_asked: '',
    ...fields,
  });
const rowOf = async (id: number) =>
  (
    await db.pool.query(
      'select status, note, price_asked::int, deal_id from list_rows where list_id = $1 and property_id = $2',
      [idOf(list), id],
    )
  ).rows[0];
const results = async () =>
  /id="mailing".*?<\/section>/s.exec((await ana.open(list)).text)?.[0].replace(/<[^>]*>/g, ' ');
/** The card that counts owners who replied. */
const responses = async () =>
  /<dl class="cards" id="counts">.*?<\/dl>/s.exec((await ana.open(list)).text)?.[0].replace(/<[^>]*>/g, ' ');

test('a letter is found by its reference, as owners read it out, and its reply is saved', async () => {
  const reference = referenceOf(ID);
  for (const q of [reference, reference.toLowerCase().replace('-', ''), `Ref. ${reference}`, String(ID)])
    expect(await find(q)).toContain(`data-row="${ID}"`);
  const saved = await reply(ID, { status: 'answered', price_asked: '$25,000', note: 'Wants cash' });
  expect(saved.status).toBe(303);
  expect(await rowOf(ID)).toMatchObject({ status: 'answered', price_asked: 25_000, note: 'Wants cash' });
  const after = await find(reference);
  expect([after.includes('value="$25,000"'), after.includes('Wants cash')]).toEqual([true, true]);
});

test('the search box finds the parcel and the letter, for the company whose list has it', async () => {
  const reference = referenceOf(ID);
  const stranger = visitor(api);
  await stranger.signIn(await newUser(db));
  for (const path of ['/search', '/search/options'])
    for (const q of [reference, String(ID)]) {
      const address = `${path}?${new URLSearchParams({ q })}`;
      const links = async (who: typeof ana) => {
        const { text } = await who.open(address);
        return [text.includes(`parcel=${ID}`), text.includes(`href="/replies?q=${q}"`)];
      };
      expect(await links(ana)).toEqual([true, true]);
      expect(await links(stranger)).toEqual([true, false]);
    }
  // A letter about a parcel that is no longer on the roll is still found.
  await db.pool.query('update parcels set retired_at = now() where property_id = $1', [OTHERS[2]]);
  const gone = referenceOf(OTHERS[2]!);
  expect((await ana.open(`/search?q=${gone}`)).text).toContain(`href="/replies?q=${gone}"`);
  await db.pool.query('update parcels set retired_at = null where property_id = $1', [OTHERS[2]]);
});

test('the latest mailing comes first, and others can be chosen', async () => {
  const first = list;
  list = await makeList('Second');
  await setStatus('mailed', [ID]);
  const text = await find(referenceOf(ID));
  expect(text).toContain(`name="list_id" value="${idOf(list)}"`);
  const other = new URLSearchParams({ q: referenceOf(ID), list_id: idOf(first), property_id: String(ID) });
  expect(text).toContain(`/replies?${other}`.replaceAll('&', '&amp;'));
  expect((await ana.open(`/replies?${other}`)).text).toContain(`name="list_id" value="${idOf(first)}"`);
});

test('a caller is found by a number that the company has looked up, and only by those', async () => {
  expect(await find(NUMBER)).not.toContain('data-row');
  await ana.submit(list, { do: 'phones_now', property_id: String(ID) });
  for (const q of [NUMBER, `(${NUMBER.slice(0, 3)}) ${NUMBER.slice(3, 6)}-${NUMBER.slice(6)}`])
    expect(await find(q)).toContain(`data-row="${ID}"`);
  const stranger = visitor(api);
  await stranger.signIn(await newUser(db));
  expect((await stranger.open(`/replies?q=${NUMBER}`)).text).not.toContain('data-row');
  await suppress(db.pool, [], [], [NUMBER], 'test');
  expect(await find(NUMBER)).not.toContain('data-row');
});

test('a contract adds the deal once, with its parcel, price, and costs', async () => {
  const contract = {
    status: 'under_contract',
    purchase_price: '18.4k',
    closing_costs: '$1,200.50',
    closing_date: '2027-01-15',
  };
  await reply(ID, contract);
  await reply(ID, contract);
  const { deal_id } = await rowOf(ID);
  const { rows } = await db.pool.query(
    `select id, property_id, status, purchase_price, closing_costs, misc_costs, closing_date::text
     from deals where board_id = (select board_id from deals where id = $1)`,
    [deal_id],
  );
  expect(rows).toEqual([
    {
      id: deal_id,
      property_id: ID,
      status: 'under_contract',
      purchase_price: '18400.00',
      closing_costs: '1200.50',
      misc_costs: null,
      closing_date: '2027-01-15',
    },
  ]);
  expect(await find(referenceOf(ID))).toContain(`href="/deals/${deal_id}"`);
});

test('a row under contract offers its deal until it has one', async () => {
  const links = (text: string) => text.match(/href="\/(replies|deals)[^"]*/g) ?? [];
  const setRow = (id: number, status: string) =>
    ana.submit(list, { do: 'row', property_id: String(id), was: `${id}:mailed`, status });
  const offered = await setRow(ID, 'under_contract');
  const toReply = links(offered.text).filter(link => link.includes(referenceOf(ID)));
  // In the toast, and in the row.
  expect(toReply).toHaveLength(2);
  const form = await ana.open(toReply[0]!.slice('href="'.length).replaceAll('&amp;', '&'));
  expect(form.text).toMatch(/value="under_contract"[^>]* checked/);
  expect(links((await setRow(OTHERS[0]!, 'answered')).text).join()).not.toContain(referenceOf(OTHERS[0]!));
  await reply(ID, { status: 'under_contract' });
  const { deal_id } = await rowOf(ID);
  const after = links((await ana.open(list)).text);
  expect(after).toContain(`href="/deals/${deal_id}`);
  expect(after.join()).not.toContain(referenceOf(ID));
  // Leaving and returning to the status doesn't offer a second deal.
  await setRow(ID, 'answered');
  expect(links((await setRow(ID, 'under_contract')).text).join()).not.toContain(referenceOf(ID));
});

test('letters, replies, and contracts are counted, with the cost of a deal', async () => {
  expect(await results()).toMatch(/4 mailed, 0 replies, 0 under contract/);
  await reply(ID, { status: 'under_contract' });
  await reply(OTHERS[0]!, { status: 'answered' });
  await reply(OTHERS[1]!, { status: 'not_interested' });
  await ana.submit(list, { do: 'letter_cost', letter_cost: '0.75' });
  expect(await responses()).toMatch(/Responses\s+3\s+75%/);
  expect(await results()).toMatch(/4 mailed, 3 replies, 1 under contract.*\$3\.00 .*\$1\.00 .*\$3\.00 /s);
  // A row that was never mailed is no letter.
  await setStatus('new', [OTHERS[2]!]);
  await setStatus('answered', [OTHERS[2]!]);
  expect(await results()).toMatch(/3 mailed, 3 replies/);
});

test('bad input is refused, and nothing is saved', async () => {
  const faulty: Record<string, string>[] = [
    { status: 'answered', price_asked: 'a lot' },
    { status: 'under_contract', purchase_price: '12,5' },
    { status: 'nonsense' },
    { status: 'answered', list_id: '6d1c1f0a-7a0e-4b55-9a43-0d2f8b1c5e77' },
  ];
  for (const fields of faulty) expect((await reply(ID, fields)).status).toBe(400);
  expect(await rowOf(ID)).toMatchObject({ status: 'mailed', price_asked: null, deal_id: null });
  expect((await ana.submit(list, { do: 'letter_cost', letter_cost: 'x' })).status).toBe(400);
  const stranger = visitor(api);
  await stranger.signIn(await newUser(db));
  const foreign = await stranger.submit(`/replies?q=${referenceOf(ID)}`, {
    list_id: idOf(list),
    property_id: String(ID),
    status: 'answered',
  });
  expect(foreign.status).toBe(400);
  expect((await rowOf(ID)).status).toBe('mailed');
});
