import { describe, expect, test } from 'vitest';
import type { Deal } from '../../api/v1/deals/deal-schema.ts';
import { createKey } from '../../shared/accounts/accounts.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { dealCalls, doDealJobs, listingId, setValue } from '../support/deals.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const user = await newUser(db);
const { key } = await createKey(db.pool, user.accountId, { name: 'x', scopes: ['api:direct'] });
const client = visitor(api);
await client.signIn(user);
const { added, change, list } = dealCalls(api);

/** 2.56 acres at $34,900. */
const APN = '000014 000341 000000';
const { id } = await added(key, { listing_id: listingId(36), purchase_price: '5000' });
await doDealJobs(db.pool);

async function pageOf(value: [low: number, mean: number, high: number]) {
  await setValue(db.pool, APN, value);
  await change(key, id, { misc_costs: null });
  await doDealJobs(db.pool);
  const { text } = await client.open(`/deals/${id}`);
  const advice = /id="advice" data-advice="(\w+)"/.exec(text)?.[1];
  const section = /<dl class="whatif">(.*?)<\/dl>/s.exec(text)![1]!;
  const amounts = [...section.matchAll(/\$([\d,]+)/g)].map(([, amount]) =>
    Number(amount!.replaceAll(',', '')),
  );
  const board = await client.open('/deals');
  const onCard = /class="advice" data-advice="(\w+)"/.exec(board.text)?.[1];
  return { advice, amounts, onCard, link: /change=price&amp;new_price=([\d.]+)/.exec(text)?.[1] };
}

test('a raise is shown with its price and profit, on the page and on the board', async () => {
  expect(await pageOf([35_000, 59_163, 165_000])).toEqual({
    advice: 'raise',
    onCard: 'raise',
    // The profit now, the advised price, the profit at that price, and the difference.
    amounts: [29_900, 59_200, 54_200, 24_300],
    link: '59200.00',
  });
  const [heads, row] = (await client.open('/deals/export.csv')).text.split('\r\n');
  const cell = (name: string) => row!.split(',')[heads!.split(',').indexOf(name)];
  expect(['suggested_action', 'advice', 'advised_price'].map(cell)).toEqual(['hold', 'raise', '59200.00']);
});

test('the price to compare and the lowest sensible price are never below the estimate', async () => {
  const [competitive] = (await list(key, '?explain=true')).map(({ figures }: Deal) =>
    Number(figures!.competitive_price),
  );
  expect(competitive).toBeLessThan(29_930);
  expect(await pageOf([15_000, 29_930, 60_000])).toEqual({
    advice: 'drop',
    onCard: 'drop',
    amounts: [29_900, 30_000, 25_000, 4_900, 29_930],
    link: '30000.00',
  });
  // The list price is below the estimate, so there is no lower price to compare.
  expect(await pageOf([30_000, 59_163, 165_000])).toMatchObject({
    advice: 'hold',
    onCard: 'hold',
    amounts: [29_900],
    link: undefined,
  });
  // The estimate doesn't count: its range is too wide.
  expect(await pageOf([1_000, 20_000, 60_000])).toMatchObject({ advice: 'hold', amounts: [29_900, 5_000] });
});

test('unreported views are not shown as zero interest', async () => {
  await db.pool.query('update listings set views = null, saves = null where id = $1', [listingId(36)]);
  await change(key, id, { misc_costs: null });
  await doDealJobs(db.pool);
  const [deal] = await list(key, '?explain=true');
  expect(deal).toMatchObject({ views: null, saves: null, traction_score: 0, figures: { interest: null } });
  const { score, freshness } = deal!.figures!;
  expect(score).toBeCloseTo((0.45 * deal!.price_advantage! + 0.2 * freshness!) / 0.65, 1);
  expect((await client.open('/deals')).text).not.toMatch(/buyer interest \d/);
  const page = (await client.open(`/deals/${id}`)).text;
  const why = /<section[^>]* id="why".*?<\/section>/s.exec(page)![0];
  // The weights that were used, and none of interest.
  expect(why).toMatch(/69% price, 31% time listed/);
  expect(why).not.toMatch(/35%|45%/);
  expect(page).not.toMatch(/Buyer interest 0/);
});

/** The value of a field of the deal's form. */
const inputOf = (text: string, name: string) =>
  new RegExp(`<input id="${name}" name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1];

const saved = async (path: string, fields: Record<string, string>) => {
  const reply = await client.submit(path, fields);
  return reply.status === 303 ? client.open(reply.headers.get('location')!) : reply;
};

test('amounts are shown as people write them, and a fee of 6% is stored in dollars of the sale price', async () => {
  await change(key, id, { price: '34900', expected_sell_price: null });
  const path = `/deals/${id}`;
  const shown = (await client.open(path)).text;
  expect([inputOf(shown, 'price'), inputOf(shown, 'purchase_price')]).toEqual(['$34,900', '$5,000']);
  const form = { price: '$34,900', price_shown: '$34,900', purchase_price: '$5,000', agent_fee: '6%' };
  const ofList = (await saved(path, form)).text;
  expect([inputOf(ofList, 'agent_fee'), inputOf(ofList, 'price')]).toEqual(['$2,094', '$34,900']);
  expect(ofList).toMatch(/6% of the \$34,900 list price/);
  const ofSale = await saved(path, { ...form, expected_sell_price: '$30,001', agent_fee: ' 2.5 % ' });
  expect(inputOf(ofSale.text, 'agent_fee')).toBe('$750.03');
  expect(ofSale.text).toMatch(/2\.5% of the \$30,001 expected sale price/);
  for (const agent_fee of ['101%', '6.1234%', '%', '-1%', '6%%', 'six %']) {
    const refused = await client.submit(path, { ...form, agent_fee });
    // What was entered stays in the form.
    expect([refused.status, inputOf(refused.text, 'agent_fee')], agent_fee).toEqual([400, agent_fee]);
  }
  // Only the agent fee can be a percentage.
  expect((await client.submit(path, { ...form, misc_costs: '6%' })).status).toBe(400);
  const [deal] = await list(key);
  expect(deal).toMatchObject({ agent_fee: '750.03', expected_sell_price: '30001.00' });
});

describe('a new deal', async () => {
  const other = await newUser(db);
  const ben = visitor(api);
  await ben.signIn(other);
  const { key: own } = await createKey(db.pool, other.accountId, { name: 'x', scopes: ['api:direct'] });
  const { rows } = await db.pool.query<{ id: number }>(
    "select property_id as id from parcels where fips = 33019 and apn = '000015 000012 000000'",
  );
  const property_id = String(rows[0]!.id);

  test('from a parcel asks for its stage, and needs a price for a fee in percent', async () => {
    const asked = await ben.submit('/deals/add', { property_id });
    expect([asked.status, await list(own)]).toEqual([200, []]);
    expect(asked.text).toMatch(/<select id="status" name="status" required/);
    const wrong: Record<string, string>[] = [
      {},
      { status: '' },
      { status: 'gone' },
      { status: 'listed', purchase_price: 'x' },
    ];
    for (const fields of wrong)
      expect((await ben.submit('/deals/add', { do: 'add', property_id, ...fields })).status).toBe(400);
    expect((await ben.submit('/deals/add', { property_id: 'x' })).status).toBe(400);
    const what = { do: 'add', what: property_id, status: 'under_contract', agent_fee: '6%' };
    expect((await ben.submit('/deals', what)).status).toBe(400);
    expect(await list(own)).toEqual([]);
  });

  test('shows its estimate and the profit at the estimate before it has a list price', async () => {
    await setValue(db.pool, '000015 000012 000000', [10_000, 20_000, 40_000]);
    const fields = { do: 'add', property_id, status: 'under_contract', purchase_price: '$5,000' };
    const added = await ben.submit('/deals/add', fields);
    expect(added.headers.get('location')).toMatch(/^\/deals\/[0-9a-f-]{36}$/);
    await doDealJobs(db.pool);
    const figures = (text: string) =>
      [...text.matchAll(/<dd[^>]*>([−$][\d,]+)/g)].map(([, amount]) => amount);
    const page = (await ben.open(added.headers.get('location')!)).text;
    expect(figures(page).slice(0, 2)).toEqual(['$20,000', '$15,000']);
    expect(page).toContain('expected_sell_price=20000.00#expected_sell_price');
    const board = (await ben.open('/deals')).text;
    expect(figures(board).slice(0, 2)).toEqual(['$20,000', '$15,000']);
    // An estimate that doesn't count has no profit.
    await setValue(db.pool, '000015 000012 000000', [1_000, 20_000, 60_000]);
    const [deal] = await list(own);
    await change(own, deal!.id, { misc_costs: null });
    await doDealJobs(db.pool);
    expect(figures((await ben.open('/deals')).text)).toEqual([]);
  });

  test('for a parcel on the board asks before it is added again', async () => {
    const [first] = await list(own);
    expect((await ben.submit('/deals/add', { property_id })).text).toContain(`href="/deals/${first!.id}"`);
    const again = { do: 'add', what: property_id, status: 'listed', purchase_price: '$7,000' };
    const asked = await ben.submit('/deals', again);
    expect([asked.status, (await list(own)).length]).toEqual([200, 1]);
    const form = asked.text.slice(asked.text.indexOf('notice warn'));
    expect(form).toContain(`href="/deals/${first!.id}"`);
    const hidden = Object.fromEntries(
      [...form.slice(0, form.indexOf('</form>')).matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
        ([, name, value]) => [name!, value!],
      ),
    );
    expect(hidden).toMatchObject({ property_id, status: 'listed', purchase_price: '$7,000', again: '1' });
    expect((await ben.submit('/deals', hidden)).headers.get('location')).toBe('/deals');
    expect((await list(own)).map(({ status, purchase_price }) => [status, purchase_price])).toEqual([
      ['under_contract', '5000.00'],
      ['listed', '7000.00'],
    ]);
    // Another user's board has no such deal.
    expect((await client.submit('/deals/add', { property_id })).text).not.toContain(first!.id);
  });
});
