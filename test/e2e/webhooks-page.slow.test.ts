import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPort } from '../../shared/platform/port.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { makeChanges, ON_LOOPBACK, startTestDispatcher } from '../support/webhooks.ts';
import { eventually } from '../support/workers.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db, { pages: true, env: ON_LOOPBACK });
const { json, plat, refused } = commandsOn(db);

test('a webhook is added on the account page, and the receiver in docs/webhooks.md reads its messages', async () => {
  const user = await newUser(db);
  const { key } = await newCaller(db);
  const ana = visitor(api);
  await ana.signIn(user);
  const port = await findPort('127.0.0.1', 20_000);
  const url = `http://127.0.0.1:${port}/`;
  const add = { do: 'add webhook', url, type: 'parcel.changed' };
  // What was typed stands again, with the reason beside its field.
  const unsure = (await ana.submit('/account', { ...add, county: 'Sullivan' })).text;
  expect(unsure).toMatch(/<details open[^>]*>(?:(?!<\/details>).)*name="url"/s);
  expect(unsure).toMatch(/name="county"[^>]*value="Sullivan"/);
  expect(unsure).toMatch(/<small id="county-told" class="bad">“Sullivan” /);
  const plain = (await ana.submit('/account', { ...add, url: 'http://example.com' })).text;
  expect(plain).toMatch(/URL: [^<]*https:\/\//);
  expect(plain).toMatch(/name="url"[^>]*value="http:\/\/example\.com"/);
  expect(plain.match(/name="type"[^>]*checked/g)).toHaveLength(1);
  const made = await ana.submit('/account', { ...add, county: 'Sullivan NH' });
  const secret = /whsec_[^<]+/.exec(made.text)![0];
  const list = (await ana.open('/account')).text;
  expect(list).not.toContain('whsec_');
  const path = /\/account\/webhooks\/[0-9a-f-]{36}/.exec(list)![0];
  const id = path.slice(-36);

  const [, program] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(rootDir, 'docs/webhooks.md'), 'utf8'))!;
  const script = join(rootDir, 'node_modules', `.webhook-receiver-${process.pid}.mjs`);
  writeFileSync(script, program!.replace('8080', String(port)));
  const receiver = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, PLAT_WEBHOOK_SECRET: secret, PLAT_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    receiver.kill();
    await once(receiver, 'exit');
  });
  let printed = '';
  receiver.stdout!.on('data', chunk => {
    printed += chunk;
  });
  const dispatcher = startTestDispatcher(db, {}, api);
  const told = (text: string) =>
    eventually(async () => {
      dispatcher.wake();
      return printed.includes(text);
    });
  await eventually(() =>
    fetch(url, { method: 'POST' }).then(
      ({ status }) => status === 400,
      () => false,
    ),
  );
  expect((await ana.submit(path, { do: 'test', id })).status).toBe(200);
  await told('the test arrived');
  await makeChanges(db, 33_019, 2);
  await told('parcel.changed 3301900000002');

  const page = async () => (await ana.open(path)).text;
  await eventually(async () => (await page()).match(/<td[^>]*>delivered<\/td>/g)?.length === 2);
  expect((await ana.submit(path, { do: 'rotate', id })).text).toMatch(/whsec_[A-Za-z0-9+/]{43}=/);
  expect((await ana.submit(path, { do: 'switch', id: 'off' })).text).toMatch(/value="on"/);
  const refusal = await ana.submit(path, { do: 'change', url: 'https://10.0.0.1/', type: 'stats.written' });
  expect([refusal.status, refusal.text]).toEqual([
    400,
    expect.stringMatching(/name="url"[^>]*value="https:\/\/10\.0\.0\.1\/"/),
  ]);
  expect((await ana.submit(path, { do: 'change', url, type: 'stats.written', county: '' })).text).toContain(
    'changed',
  );
  expect((await ana.submit(path, { do: 'switch', id: 'on' })).text).toMatch(/value="off"/);
  expect((await ana.submit(path, { do: 'replay', since: '2020-01-01' })).text).toContain('0 messages');
  const message = /name="id" value="([0-9a-f-]{36})"[^>]*>[^<]*<button[^>]*value="resend"/.exec(
    await page(),
  )![1]!;
  expect((await ana.submit(path, { do: 'resend', id: message })).text).toContain(message);
  expect((await ana.open('/account')).text).toMatch(/webhook http:\/\/127.*secret/s);
  const colleague = visitor(api);
  await colleague.signIn(await newUser(db));
  expect((await colleague.open(path)).status).toBe(404);

  expect(await json('webhooks', 'list')).toMatchObject([{ id, account: expect.any(String), enabled: true }]);
  expect((await plat('webhooks', 'list')).out).toContain(`127.0.0.1:${port}`);
  expect(await json('webhooks', 'deliveries', id, '--state', 'delivered')).toBeInstanceOf(Array);
  expect(await json('webhooks', 'disable', id)).toEqual({ id, enabled: false });
  expect(await json('webhooks', 'enable', id)).toEqual({ id, enabled: true });
  expect(await json('webhooks', 'replay', id, '--since', '2020-01-01')).toEqual({ messages: 0 });
  await refused(['webhooks', 'deliveries', 'x'], /webhook x\b/);

  expect((await ana.submit(path, { do: 'delete', id })).headers.get('location')).toBe('/account#webhooks');
  expect((await ana.open(path)).status).toBe(404);
});
