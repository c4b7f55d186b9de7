import { once } from 'node:events';
import { expect, test } from 'vitest';
import { newCaller, startTestApi } from '../support/api.ts';
import { stopClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { startProgram } from '../support/programs.ts';
import {
  makeChanges,
  ON_LOOPBACK,
  startReceiver,
  startTestDispatcher,
  webhooksOf,
} from '../support/webhooks.ts';
import { eventually } from '../support/workers.ts';

const START = Date.parse('2026-11-20T00:00:00Z');

const db = await createTestDatabase({}, { regions: true });
const clock = await stopClock(db, new Date(START).toISOString());
const api = await startTestApi(db, { env: ON_LOOPBACK });
const { key } = await newCaller(db);
const { add, deliveries, post } = webhooksOf(api, key);

/** Takes up to some statements' work, and is killed with -9 at the last. */
async function workAndDie(dieAt: number): Promise<void> {
  const child = startProgram(
    'test/support/dispatcher-child.ts',
    { DATABASE_URL: db.url, LOG_LEVEL: 'error', ...ON_LOOPBACK },
    { args: [JSON.stringify({ dieAt })], stdio: ['ignore', 'inherit', 'inherit'] },
  );
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
}

test('a receiver is down for three days, workers are killed, the clock jumps: nothing is lost or invented', async () => {
  let isAway = true;
  const { url, received } = await startReceiver(
    response => void response.writeHead(isAway ? 503 : 204).end(),
  );
  const { id } = await add(url);
  let made = 0;
  const make = async () => {
    await makeChanges(db, 33_019);
    made++;
  };
  for (let count = 0; count < 3; count++) await make();
  // Making messages takes five statements, the sixth takes what is due, then it is told how that went.
  await Promise.all([workAndDie(3), workAndDie(4)]);
  await Promise.all([workAndDie(5), workAndDie(6), workAndDie(9)]);
  await make();
  const rivals = [startTestDispatcher(db), startTestDispatcher(db)];
  const wake = () => {
    for (const dispatcher of rivals) dispatcher.wake();
  };
  const settle = () =>
    eventually(async () => {
      wake();
      const all = await deliveries(id);
      const due = all.filter(
        ({ next_at }) => next_at !== null && Date.parse(next_at) <= clock.now().getTime(),
      );
      return all.length === made && due.length === 0;
    });
  // The leases of those that were killed run out first.
  for (const hours of [0.02, 0.1, 1, 5, 12, 30, 29, 60, 72]) {
    await clock.set(new Date(START + hours * 3_600_000));
    if (hours === 30) await make();
    await settle();
  }
  expect(await deliveries(id, 'delivered')).toHaveLength(0);
  isAway = false;
  const away = received.length;
  // One that was under way is told of its 503 only then, and waits anew: hours go by until all are there.
  let hours = 5 * 24;
  await eventually(async () => {
    await clock.set(new Date(START + hours++ * 3_600_000));
    wake();
    return (await deliveries(id, 'delivered')).length === made;
  });
  const ids = (await deliveries(id, 'delivered')).map(({ message_id }) => message_id);
  expect(ids).toHaveLength(made);
  expect(new Set(ids).size).toBe(made);
  // Each once in effect: by their ids they are as many as the transactions, and no number was left out.
  expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
  const seqs = new Set(received.slice(away).map(({ message }) => message.data.seq));
  const { rows } = await db.pool.query<{ seq: number }>('select seq from changes');
  expect(seqs).toEqual(new Set(rows.map(({ seq }) => seq)));
  const again = (await post(id, 'replay', { since: new Date(START).toISOString() })).json;
  expect(again).toEqual({ messages: made });
});
