import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { stopClock } from '../../support/clock.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  makeChanges,
  ON_LOOPBACK,
  ok,
  startReceiver,
  startTestDispatcher,
  WEBHOOKS,
  webhooksOf,
} from '../../support/webhooks.ts';
import { eventually } from '../../support/workers.ts';

const START = '2026-11-20T00:00:00.000Z';

const db = await createTestDatabase({}, { regions: true });
const clock = await stopClock(db, START);
const api = await startTestApi(db, { env: ON_LOOPBACK });
const { key, accountId } = await newCaller(db);
const mine = webhooksOf(api, key);
const after = (seconds: number) => clock.set(new Date(clock.now().getTime() + seconds * 1_000));

test('webhooks are created, listed without their secret, changed, and deleted, only by their account', async () => {
  const made = await mine.add('https://example.com/plat', {
    fips: '33019',
    types: ['parcel.new', 'parcel.new'],
  });
  expect(made).toMatchObject({ fips: '33019', types: ['parcel.new'], enabled: true, failing_since: null });
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { secret: _, ...rest } = made;
  expect((await api.call(WEBHOOKS, { key })).json).toEqual([rest]);
  expect((await mine.patch(made.id, { fips: null, enabled: false })).json).toEqual({
    ...rest,
    fips: null,
    enabled: false,
  });
  const other = webhooksOf(api, (await newCaller(db)).key);
  for (const reply of [
    await other.patch(made.id, {}),
    await other.post(made.id, 'rotate'),
    await other.post(made.id, 'test'),
    await other.post(made.id, 'replay', { since: START }),
  ])
    expect(reply.status).toBe(404);
  expect((await mine.post(made.id, 'rotate')).status).toBe(201);
  expect((await api.call(`${WEBHOOKS}${made.id}/`, { key, method: 'DELETE' })).status).toBe(204);
  expect((await api.call(`${WEBHOOKS}${made.id}/`, { key })).status).toBe(404);

  const { rows } = await db.pool.query(
    "select actor, action, before, after from audit where entity = 'webhooks' and account_id = $1 order by id",
    [accountId],
  );
  expect(rows.map(({ actor, action }) => `${actor}: ${action}`)).toEqual(
    ['insert', 'update', 'rotate_secret', 'delete'].map(action => `key test: ${action}`),
  );
  expect(rows[1]).toMatchObject({
    before: { fips: 33_019, enabled: true },
    after: { fips: null, enabled: false },
  });
  expect(JSON.stringify(rows)).not.toContain('whsec_');
});

test('errors name their field, and an account can have 20', async () => {
  const { key } = await newCaller(db);
  const { add, post } = webhooksOf(api, key);
  const faultOf = async (body: object) => {
    const reply = await api.call(WEBHOOKS, posting(key, JSON.stringify({ types: ['parcel.new'], ...body })));
    return [reply.status, (reply.json as { error: { details?: object } }).error.details];
  };
  for (const [url, why] of [
    ['example.com', /URL/],
    ['http://example.com/', /https/],
    ['https://a:b@example.com/', /password/],
    ['https://10.0.0.1/', /public internet/],
    ['https://localhost/', /public internet/],
  ] as const)
    expect(await faultOf({ url })).toEqual([400, { url: [expect.stringMatching(why)] }]);
  const url = 'https://example.com/';
  expect(await faultOf({ url, types: ['parcel.old'] })).toMatchObject([400, { types: expect.anything() }]);
  expect(await faultOf({ url, fips: '99999' })).toMatchObject([400, { fips: expect.anything() }]);
  const stranger = '3c7d6f0e-7b1d-4e57-8a51-9d0c2f6b4e12';
  expect(await faultOf({ url, search_id: stranger })).toMatchObject([400, { search_id: expect.anything() }]);
  const { id } = await add(url, { enabled: false });
  expect((await post(id, 'replay', {})).status).toBe(400);
  expect((await post(id, 'replay', { message_id: id })).json).toMatchObject({
    error: { details: { message_id: [expect.any(String)] } },
  });
  for (let count = 1; count < 20; count++) await add(url, { enabled: false });
  expect(await faultOf({ url })).toEqual([422, undefined]);
});

test('one signed message per type, county, and transaction, with a link to the changes', async () => {
  const { url, received } = await startReceiver();
  const { id, secret } = await mine.add(url, { fips: '33019', types: ['parcel.changed', 'parcel.new'] });
  const dispatcher = startTestDispatcher(db, {}, api);
  await makeChanges(db, 33_005, 2);
  await makeChanges(db, 33_019, 3);
  await makeChanges(db, 33_019, 1, 'parcel.new');
  await makeChanges(db, 33_019, 1, 'parcel.retired');
  dispatcher.wake();
  await eventually(async () => received.length === 2);
  const [first] = received.filter(({ message }) => message.type === 'parcel.changed');
  const { message, headers, body } = first!;
  const { rows } = await db.pool.query('select min(seq) as seq from changes where fips = 33019');
  const { seq } = rows[0]!;
  expect(message).toEqual({
    type: 'parcel.changed',
    timestamp: expect.any(String),
    data: {
      seq,
      last_seq: seq + 2,
      changes: 3,
      run_id: 7,
      fips: '33019',
      read: `${api.url}/api/public/v1/changes/?types=parcel.changed&after=${seq - 1}&fips=33019`,
    },
  });
  // The clock of the test stands in the past: the receiver's own says that the message is old.
  expect(headers['webhook-signature']).toBe(
    new Webhook(secret).sign(headers['webhook-id'] as string, clock.now(), body),
  );
  expect(headers['webhook-timestamp']).toBe(String(clock.now().getTime() / 1_000));
  const read = await api.call((message.data.read as string).slice(api.url.length), { key });
  expect((read.json as { results: { seq: number }[] }).results.map(change => change.seq)).toEqual([
    seq,
    seq + 1,
    seq + 2,
  ]);
  expect(await eventually(async () => (await mine.deliveries(id, 'delivered')).length === 2)).toBe(true);
  expect((await mine.deliveries(id)).map(({ attempts, status }) => [attempts, status])).toEqual([
    [1, 204],
    [1, 204],
  ]);
});

test('both secrets sign for a day after a rotation; after two rotations, the last two sign', async () => {
  const { url, received } = await startReceiver();
  const { id, secret } = await mine.add(url);
  const dispatcher = startTestDispatcher(db);
  const rotate = async () => ((await mine.post(id, 'rotate')).json as { secret: string }).secret;
  const signers = async (secrets: string[]) => {
    const count = received.length;
    const reply = await mine.post(id, 'test');
    expect([reply.status, reply.json]).toMatchObject([202, { type: 'webhook.test', state: 'pending' }]);
    dispatcher.wake();
    await eventually(async () => received.length > count);
    const { headers, body } = received.at(-1)!;
    const signatures = (headers['webhook-signature'] as string).split(' ');
    return [
      signatures.length,
      ...secrets.map(secret =>
        signatures.includes(new Webhook(secret).sign(headers['webhook-id'] as string, clock.now(), body)),
      ),
    ];
  };
  const second = await rotate();
  expect(await signers([secret, second])).toEqual([2, true, true]);
  const third = await rotate();
  expect(await signers([secret, second, third])).toEqual([2, false, true, true]);
  await after(24 * 3_600 + 1);
  expect(await signers([second, third])).toEqual([1, false, true]);
});

test('attempts follow the schedule and Retry-After under one id, and end after the tenth', async () => {
  let retryAfter: string | undefined;
  const { url, received } = await startReceiver(response => {
    response.writeHead(503, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }).end();
  });
  const { id } = await mine.add(url);
  const dispatcher = startTestDispatcher(db);
  await makeChanges(db, 33_019);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt++) {
    retryAfter = attempt === 2 ? '3600' : undefined;
    dispatcher.wake();
    const now = await eventually(async () => {
      const [delivery] = await mine.deliveries(id);
      return delivery?.attempts === attempt && delivery;
    });
    if (now.next_at === null) break;
    const wait = (Date.parse(now.next_at) - clock.now().getTime()) / 1_000;
    waits.push(wait);
    await after(wait - 1);
    dispatcher.wake();
    await after(1);
  }
  // The second wait is the one that the receiver asked for.
  expect(waits).toEqual([5, 3_600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(received).toHaveLength(10);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(await mine.deliveries(id, 'failed')).toMatchObject([
    { attempts: 10, status: 503, error: expect.stringContaining('503') },
  ]);
  // Nothing got through for three days.
  expect(await mine.get(id)).toMatchObject({ enabled: false, disabled_because: 'failing' });
  expect((await mine.patch(id, { enabled: true })).json).toMatchObject({
    disabled_because: null,
    failing_since: null,
  });
  await api.call(`${WEBHOOKS}${id}/`, { key, method: 'DELETE' });
});

test('410 turns a webhook off; missed messages can be resent, one by one or all since a time', async () => {
  let status = 410;
  const { url, received } = await startReceiver(response => void response.writeHead(status).end());
  const { id } = await mine.add(url);
  const dispatcher = startTestDispatcher(db);
  await makeChanges(db, 33_019);
  dispatcher.wake();
  await eventually(async () => (await mine.get(id)).disabled_because === 'gone');
  await makeChanges(db, 33_019);
  dispatcher.wake();
  await eventually(async () => (await db.pool.query('select from webhook_messages')).rowCount! >= 2);
  expect(received).toHaveLength(1);
  const { rows } = await db.pool.query(
    "select actor, after from audit where entity = 'webhooks' and entity_id = $1 and action = 'update'",
    [id],
  );
  expect(rows).toMatchObject([{ actor: 'plat', after: { enabled: false, disabled_because: 'gone' } }]);

  status = 204;
  await mine.patch(id, { enabled: true });
  const [failed] = await mine.deliveries(id, 'failed');
  expect((await mine.post(id, 'replay', { message_id: failed!.message_id })).json).toEqual({ messages: 1 });
  dispatcher.wake();
  await eventually(async () => (await mine.deliveries(id, 'delivered')).length === 1);
  expect(received.at(-1)!.headers['webhook-id']).toBe(failed!.message_id);
  const seen = received.length;
  const replayed = (await mine.post(id, 'replay', { since: '2000-01-01T00:00:00Z' })).json as {
    messages: number;
  };
  expect(replayed.messages).toBeGreaterThanOrEqual(2);
  dispatcher.wake();
  await eventually(async () => received.length === seen + replayed.messages);
  expect((await mine.post(id, 'replay', { since: '2100-01-01T00:00:00Z' })).json).toEqual({ messages: 0 });
});

test('redirects are not followed, and a receiver that never responds delays no others', async () => {
  const inner = await startReceiver();
  const redirecting = await startReceiver(
    response => void response.writeHead(302, { Location: inner.url }).end(),
  );
  const dead = await startReceiver(() => {});
  const well = await startReceiver();
  const moved = await mine.add(redirecting.url);
  const silent = await mine.add(dead.url);
  const good = await mine.add(well.url);
  const dispatcher = startTestDispatcher(db);
  for (let count = 0; count < 8; count++) await makeChanges(db, 33_019);
  dispatcher.wake();
  await eventually(async () => (await mine.deliveries(good.id, 'delivered')).length === 8);
  // One at a time, since it fails.
  await eventually(async () => {
    dispatcher.wake();
    return (await mine.deliveries(moved.id)).every(({ attempts }) => attempts > 0);
  });
  expect((await mine.deliveries(moved.id))[0]).toMatchObject({
    status: 302,
    error: expect.stringContaining('redirects'),
  });
  expect(inner.received).toHaveLength(0);
  expect(await mine.deliveries(silent.id, 'delivered')).toHaveLength(0);
  for (const { id } of [moved, silent]) await api.call(`${WEBHOOKS}${id}/`, { key, method: 'DELETE' });
});

test('messages are kept for 30 days, and operators see their figures', async () => {
  const { url } = await startReceiver(ok);
  await mine.add(url);
  const dispatcher = startTestDispatcher(db);
  await makeChanges(db, 33_019);
  dispatcher.wake();
  const metrics = await eventually(async () => {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    return /plat_webhooks\{what="behind_seconds"\} 0/.test(text) && text;
  });
  expect(metrics).toMatch(/plat_webhooks\{what="pending"\} \d/);
  expect((await db.pool.query('select from webhook_messages')).rowCount).toBeGreaterThan(0);
  // The clock was set back: what waits for another year is due, and so is what was taken in that year.
  await db.pool.query(
    "update webhook_deliveries set state = 'pending', next_at = now() + interval '1 year', leased_until = now() + interval '1 year'",
  );
  await expireRecords(db.pool, { SKIP_TRACE_KEEP_DAYS: 30, TRACE_AUDIT_YEARS: 5 });
  expect(
    (
      await db.pool.query(
        "select from webhook_deliveries where greatest(next_at, leased_until) > now() + interval '1 hour'",
      )
    ).rowCount,
  ).toBe(0);
  expect(metrics).toMatch(/plat_searches\{what="behind_seconds"\} 0/);
  await db.pool.query("update webhook_messages set at = at - interval '60 days'");
  await expireRecords(db.pool, { SKIP_TRACE_KEEP_DAYS: 30, TRACE_AUDIT_YEARS: 5 });
  expect((await db.pool.query('select from webhook_deliveries')).rowCount).toBe(0);
});
