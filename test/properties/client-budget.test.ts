import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Budget,
  BudgetError,
  connect,
  orderExport,
  type Plat,
  waitForExport,
} from '../../client/src/index.ts';
import { runs } from '../support/runs.ts';

/** What happens to a request: it is lost before or after it runs, or refused, or its outcome is unknown. */
const FATES = ['runs', 'runs', 'runs', 'lost', 'answer lost', 'limited', 'down', 'commit unknown'] as const;
type Fate = (typeof FATES)[number];

const PAGE = '/api/public/v1/properties/filter/';
const PARCEL = '/api/public/v1/properties/1/';
const EXPORTS = '/api/public/v1/exports/';
const CEILING = { [PAGE]: 30, [PARCEL]: 10, [EXPORTS]: 60 } as Record<string, number>;

/** A service that charges as Plat does: POSTs once per key, exports when they are ready, quotes never. */
function startModel(fates: Iterator<Fate>, costs: Iterator<number>) {
  const answers = new Map<string, object>();
  const orders = new Map<string, { most: number; ready: boolean }>();
  const service = { charged: 0, hasDoubt: false };
  const json = (body: object, tokens = 0, headers = {}) =>
    Response.json(body, { headers: { 'X-Tokens-Used': String(tokens), ...headers } });
  const charge = (most: number) => {
    const tokens = Math.floor((costs.next().value as number) * most);
    service.charged += tokens;
    return tokens;
  };

  async function run(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const most = CEILING[pathname];
    if (most === undefined) return read(pathname.split('/').at(-2)!);
    if (searchParams.get('quote') === 'true') return json({ tokens: null, at_most: most });
    if (request.method === 'GET') return json({}, charge(most));
    const key = request.headers.get('Idempotency-Key')!;
    const stored = answers.get(key);
    if (stored !== undefined) return json(stored, 0, { 'Idempotency-Replayed': 'true' });
    const { most_tokens = 0 } = (await request.json()) as { most_tokens?: number };
    const id = `export-${answers.size}`;
    answers.set(key, { id, state: 'queued' });
    if (pathname !== EXPORTS) return json({ id }, charge(most));
    orders.set(id, { most: most_tokens, ready: false });
    return json({ id, state: 'queued' });
  }

  function read(id: string): Response {
    const order = orders.get(id)!;
    const isReady = order.ready || costs.next().value! > 0;
    const tokens = isReady && !order.ready ? charge(order.most) : 0;
    if (isReady && !order.ready) Object.assign(order, { ready: true, tokens });
    return json({ id, state: isReady ? 'ready' : 'cancelled', ...order });
  }

  async function send(request: Request): Promise<Response> {
    await new Promise(resolve => setImmediate(resolve));
    const fate = fates.next().value as Fate;
    service.hasDoubt ||=
      fate === 'answer lost' || fate === 'commit unknown' || fate === 'down' || fate === 'lost';
    const refusal = { 'X-Tokens-Used': '0', 'Retry-After': '0' };
    if (fate === 'lost') throw new TypeError('fetch failed');
    if (fate === 'limited') return new Response('{}', { status: 429, headers: refusal });
    if (fate === 'down') return new Response('{}', { status: 503, headers: refusal });
    const response = await run(request);
    if (fate === 'answer lost') throw new TypeError('fetch failed');
    return fate === 'commit unknown' ? new Response('{}', { status: 503, headers: refusal }) : response;
  }
  return { service, send };
}

const call = fc.constantFrom('page', 'parcel', 'export');
const CALLS: Record<string, (plat: Plat) => Promise<unknown>> = {
  page: plat => plat.POST(PAGE, { body: { county: '33019' } }),
  parcel: plat =>
    plat.GET('/api/public/v1/properties/{property_id}/', { params: { path: { property_id: 1 } } }),
  async export(plat) {
    const { id } = await orderExport(plat, { filter: { county: '33019' }, format: 'csv' });
    await waitForExport(plat, id);
  },
};

test('calls in parallel never cost more than the budget, whatever is lost', async () => {
  const seen = { refused: 0, charged: 0 };
  const property = fc.asyncProperty(
    fc.integer({ min: 0, max: 400 }),
    fc.array(call, { minLength: 1, maxLength: 25 }),
    fc.infiniteStream(fc.constantFrom(...FATES)),
    fc.infiniteStream(fc.constantFrom(0, 0.5, 0.9, 1, 1)),
    async (limit, calls, fates, costs) => {
      const { service, send } = startModel(fates, costs);
      const budget = new Budget(limit);
      const plat = connect({
        baseUrl: 'http://plat.example',
        key: 'plat_x',
        budget,
        fetch: send,
        retries: 3,
        firstWaitMs: 0,
      });
      await Promise.all(
        calls.map(name =>
          CALLS[name]!(plat).catch((error: Error) => {
            if (error instanceof BudgetError) seen.refused++;
          }),
        ),
      );
      seen.charged += service.charged;
      expect(service.charged).toBeLessThanOrEqual(limit);
      expect(budget.left).toBeGreaterThanOrEqual(0);
      expect(service.charged).toBeLessThanOrEqual(limit - budget.left);
      if (!service.hasDoubt) expect(budget.used).toBe(service.charged);
    },
  );
  await fc.assert(property, { numRuns: runs(300) });
  expect(seen.refused).toBeGreaterThan(100);
  expect(seen.charged).toBeGreaterThan(2_000);
});
