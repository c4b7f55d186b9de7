import { expect, test } from 'vitest';
import { connect, type Send } from '../../../client/src/index.ts';

const PATH = '/api/public/v1/properties/filter/';
type Step = (request: Request) => Response | Promise<Response>;

const failing: Step = () => Promise.reject(new TypeError('fetch failed'));
const good: Step = () => Response.json({ count: 0, next: null, previous: null, results: [] });
const refusing =
  (status: number, wait?: string): Step =>
  () =>
    new Response('{}', { status, ...(wait !== undefined && { headers: { 'Retry-After': wait } }) });

/** A client whose attempts take these steps, and what it sent. */
function client(...steps: Step[]) {
  const sent: Request[] = [];
  const bodies: string[] = [];
  const send: Send = async request => {
    sent.push(request);
    bodies.push(await request.clone().text());
    return steps[sent.length - 1]!(request);
  };
  const plat = connect({
    baseUrl: 'http://plat.example/',
    key: 'plat_x',
    fetch: send,
    retries: 3,
    firstWaitMs: 0,
  });
  return { sent, bodies, plat };
}

test.each([
  ['lost', failing],
  ['limited, with a number of seconds', refusing(429, '0')],
  ['limited, with a date in the past', refusing(429, 'Wed, 21 Oct 2015 07:28:00 GMT')],
  ['draining', refusing(503, '0')],
  ['behind a proxy', refusing(502)],
  [
    'broken off',
    () => new Response(new ReadableStream({ pull: ({ error }) => error(new TypeError('terminated')) })),
  ],
])('a call that is %s is repeated with the same key and body', async (_, step) => {
  const { sent, bodies, plat } = client(step, good);
  const { data } = await plat.POST(PATH, { body: { county: '33019' } });
  expect(data?.results).toEqual([]);
  const keys = sent.map(({ headers }) => headers.get('Idempotency-Key'));
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
  expect(bodies).toEqual(Array(2).fill('{"county":"33019"}'));
  expect(sent[0]!.headers.get('Authorization')).toBe('Bearer plat_x');
  expect(sent[0]!.url).toBe(`http://plat.example${PATH}`);
});

test('two calls have different keys, and a given key is kept', async () => {
  const { sent, plat } = client(good, good, good);
  await plat.POST(PATH, { body: {} });
  await plat.POST(PATH, { body: {} });
  await plat.POST(PATH, { body: {}, headers: { 'Idempotency-Key': 'mine' } });
  const keys = sent.map(({ headers }) => headers.get('Idempotency-Key'));
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('mine');
});

test('a GET has no key', async () => {
  const { sent, plat } = client(good);
  await plat.GET('/api/public/v1/lists/');
  expect(sent[0]!.headers.has('Idempotency-Key')).toBe(false);
});

test.each([400, 401, 402, 404, 409, 422, 500])('a response with status %s is final', async status => {
  const { sent, plat } = client(refusing(status));
  expect((await plat.POST(PATH, { body: {} })).response.status).toBe(status);
  expect(sent).toHaveLength(1);
});

test('attempts end with the last response, or the last error', async () => {
  const limited = client(...Array<Step>(4).fill(refusing(429, '0')));
  expect((await limited.plat.POST(PATH, { body: {} })).response.status).toBe(429);
  expect(limited.sent).toHaveLength(4);
  const lost = client(...Array<Step>(4).fill(failing));
  await expect(lost.plat.POST(PATH, { body: {} })).rejects.toThrow(TypeError);
  expect(lost.sent).toHaveLength(4);
});

test('a wait that is too long is left to the caller', async () => {
  const { sent, plat } = client(refusing(429, '61'));
  expect((await plat.POST(PATH, { body: {} })).response.status).toBe(429);
  expect(sent).toHaveLength(1);
});

test('an error that is not about the network is thrown at once', async () => {
  const { sent, plat } = client(() => Promise.reject(new Error('a fault')));
  await expect(plat.GET('/api/public/v1/lists/')).rejects.toThrow('a fault');
  expect(sent).toHaveLength(1);
});

test('a call that is aborted while it waits ends', async () => {
  const controller = new AbortController();
  const { sent, plat } = client(refusing(503, '30'), good);
  const call = plat.GET('/api/public/v1/lists/', { signal: controller.signal });
  await expect.poll(() => sent.length).toBe(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  expect(sent).toHaveLength(1);
});
