import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { apiProcesses } from '../support/api-process.ts';
import { createTestDatabase } from '../support/database.ts';
import { serve } from '../support/http-server.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const { startApi } = apiProcesses(db);

/**
 * Hands requests out in turn, past a server that does not answer, as balancers do; `turns` are
 * those who answered.
 */
async function balance(servers: { url: string }[]): Promise<{ url: string; turns: string[] }> {
  const turns: string[] = [];
  let turn = 0;
  const { origin, close } = await serve(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const attempt = (left: number) => {
      const { url } = servers[turn++ % servers.length]!;
      const onward = request(url + req.url, { method: req.method!, headers: req.headers }, answer => {
        turns.push(url);
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      });
      onward.on('error', error => (left > 1 ? attempt(left - 1) : res.destroy(error))).end(body);
    };
    attempt(servers.length);
  });
  onTestFinished(close);
  return { url: origin, turns };
}

test('a session works on two processes behind one address; when they are killed and restarted, nobody is signed out', async () => {
  const servers = await Promise.all([startApi(), startApi()]);
  const address = await balance(servers);
  const user = await newUser(db);
  const [ana, other] = [visitor(address), visitor(address)];
  await ana.signIn(user);
  await other.signIn(user);
  const opens = async () => [await ana.open('/data'), await other.open('/data')].map(({ status }) => status);
  const changes = async (name: string) =>
    (await ana.submit('/account', { do: 'create key', name, scope: 'api:direct' })).status;
  expect([...(await opens()), ...(await opens())]).toEqual([200, 200, 200, 200]);
  expect(new Set(address.turns)).toEqual(new Set(servers.map(({ url }) => url)));
  await servers[0]!.kill();
  expect(await opens()).toEqual([200, 200]);
  expect(await changes('meanwhile')).toBe(200);
  servers[0] = await startApi();
  address.turns.length = 0;
  expect([...(await opens()), await changes('afterwards')]).toEqual([200, 200, 200]);
  expect(new Set(address.turns)).toEqual(new Set(servers.map(({ url }) => url)));
  await other.submit('/sign-out', {});
  expect([...(await opens()), ...(await opens())]).toEqual([200, 303, 200, 303]);
});
