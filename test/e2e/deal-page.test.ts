import { expect, test } from 'vitest';
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
});
