import { expect, test } from 'vitest';
import { Budget, BudgetError, connect, orderExport, waitForExport } from '../../../client/src/index.ts';

const PAGE = '/api/public/v1/properties/filter/';
type Step = (request: Request) => Response | Promise<Response>;
const answer =
  (body: object, tokens = 0, headers = {}): Step =>
  () =>
    Response.json(body, { headers: { 'X-Tokens-Used': String(tokens), ...headers } });
const price = (at_most: number, tokens = 0) => answer({ tokens: null, at_most }, tokens);

/** A client with a budget, whose requests get these responses in order. */
function client(limit: number, ...steps: Step[]) {
  const sent: Request[] = [];
  const budget = new Budget(limit);
  const plat = connect({
    baseUrl: 'http://plat.example',
    key: 'plat_x',
    budget,
    firstWaitMs: 0,
    fetch: async request => {
      sent.push(request.clone());
      return steps[sent.length - 1]!(request);
    },
  });
  const page = () => plat.POST(PAGE, { body: { county: '33019' } });
  return { sent, budget, plat, page };
}

test('a call reserves its highest price, and settles what it cost', async () => {
  const { sent, budget, page } = client(50, price(30), answer({ results: [] }, 20));
  await page();
  expect([budget.used, budget.left]).toEqual([20, 30]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?quote=true', '']);
  expect(await sent[0]!.text()).toBe('{"county":"33019"}');
});

test('a call that does not fit is not sent', async () => {
  const { sent, budget, page } = client(29, price(30));
  await expect(page()).rejects.toEqual(expect.objectContaining({ needed: 30, left: 29 }));
  expect([sent.length, budget.used, budget.left]).toEqual([1, 0, 29]);
});

test('a POST whose response is lost is paid for once', async () => {
  const lost: Step = () => Promise.reject(new TypeError('fetch failed'));
  const replay = answer({ results: [] }, 0, { 'Idempotency-Replayed': 'true' });
  const { sent, budget, page } = client(30, price(30), lost, replay);
  await page();
  expect([sent.length, budget.used, budget.left]).toEqual([3, 30, 0]);
});

test('a GET whose response is lost may be charged twice', async () => {
  const lost: Step = () => Promise.reject(new TypeError('fetch failed'));
  const { budget, plat } = client(15, price(10), lost, price(10));
  const params = { path: { property_id: 1 } };
  const call = plat.GET('/api/public/v1/properties/{property_id}/', { params });
  await expect(call).rejects.toThrow(BudgetError);
  expect(budget.used).toBe(10);
});

test('a refused call is free, and so is a call without a price', async () => {
  const refusal: Step = () => Response.json({ error: { code: 'x' } }, { status: 400 });
  const { sent, budget, plat, page } = client(30, refusal, answer([]));
  expect((await page()).response.status).toBe(400);
  await plat.GET('/api/public/v1/lists/');
  expect([sent.length, budget.used, budget.left]).toEqual([2, 0, 30]);
});

const order = { filter: { county: '33019' }, format: 'csv' } as const;
const queued = answer({ id: 'a', state: 'queued', tokens: null });
const state = (state: string, tokens: number | null) => answer({ id: 'a', state, tokens });

test('an export is limited to its quote, and settled when it is ready', async () => {
  const { sent, budget, plat } = client(100, price(60, 1), queued, state('ready', 40));
  const { id } = await orderExport(plat, order);
  expect(await sent[1]!.json()).toMatchObject({ most_tokens: 60 });
  expect([budget.used, budget.left]).toEqual([1, 39]);
  await waitForExport(plat, id);
  expect([budget.used, budget.left]).toEqual([41, 59]);
});

test('an export that fails gives its tokens back', async () => {
  const { budget, plat } = client(100, price(60), queued, state('failed', null));
  const { id } = await orderExport(plat, order);
  await waitForExport(plat, id);
  expect([budget.used, budget.left]).toEqual([0, 100]);
});

test('an export keeps a lower maximum, and allows the least that exports accept', async () => {
  const lower = client(100, price(60), queued);
  await orderExport(lower.plat, { ...order, most_tokens: 30 });
  expect(await lower.sent[1]!.json()).toMatchObject({ most_tokens: 30 });
  const small = client(100, price(3), queued);
  await orderExport(small.plat, order);
  expect(await small.sent[1]!.json()).toMatchObject({ most_tokens: 25 });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%s is no budget', limit => {
  expect(() => new Budget(limit)).toThrow(RangeError);
});
