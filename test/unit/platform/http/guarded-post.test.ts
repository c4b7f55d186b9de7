import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hostsOf, openGuardedPost } from '../../../../shared/platform/http/guarded-post.ts';

/** What names stand for: one look-up after the other, the last again. */
const NAMES: Record<string, string[][]> = {
  'private.example': [['10.0.0.7']],
  'local.example': [['127.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'six.example': [['::1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  // Of one that stands for another name (CNAME) the addresses are that one's.
  'alias.example.': [['10.0.0.8', '172.16.0.9']],
  'both.example': [['192.168.1.1', 'fd00::1']],
  // Another answer each time.
  'rebinding.example': [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']],
};
/** Names that stand for nothing, and what a look-up fails with. */
const MISSING: Record<string, string> = { 'missing.example': 'ENOTFOUND', 'lost.example': 'EAI_AGAIN' };
const asked: Record<string, number> = {};

vi.mock('node:dns', async original => {
  const dns = await original<typeof import('node:dns')>();
  const lookup = (name: string, options: object, done: (error: Error | null, found?: object[]) => void) => {
    const answers = NAMES[name];
    const code = MISSING[name];
    if (code !== undefined) return done(Object.assign(new Error(code), { code, syscall: 'getaddrinfo' }));
    if (answers === undefined) return dns.lookup(name, options as never, done as never);
    asked[name] = (asked[name] ?? 0) + 1;
    const addresses = answers[Math.min(asked[name], answers.length) - 1]!;
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { ...dns, lookup, default: { ...dns, lookup } };
});

let reached = 0;
const server = createServer(socket => {
  reached++;
  socket.destroy();
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '::', resolve));
  port = (server.address() as AddressInfo).port;
});
const guarded = openGuardedPost(hostsOf(''), 2_000);
afterAll(async () => {
  await guarded.close();
  server.close();
});

const HOSTS = [
  'localhost',
  'LOCALHOST.',
  'x.localhost',
  '127.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '017700000001',
  '127.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.192',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[2001::1]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '１２７.0.0.1',
  ...Object.keys(NAMES),
];

test(`none of ${HOSTS.length} hostile addresses is reached`, async () => {
  for (const host of HOSTS) {
    const { status, error } = await guarded.post(`https://${host}:${port}/`, {}, '{}');
    expect([host, status, error]).toEqual([host, null, expect.stringMatching(/public internet/)]);
  }
  for (let again = 0; again < 3; again++)
    expect(await guarded.post(`https://rebinding.example:${port}/`, {}, '{}')).toMatchObject({
      status: null,
    });
  for (const url of [
    `http://127.0.0.1:${port}/`,
    `http://example.com/`,
    `https://u:p@example.com/`,
    'file:///etc/passwd',
  ])
    expect((await guarded.post(url, {}, '{}')).error).toMatch(/its address must/);
  expect(reached).toBe(0);
});

test('each connection goes to an address that was checked for it: names are resolved and checked again later', async () => {
  NAMES['turning.example'] = [['192.0.2.1'], ['127.0.0.1']];
  for (let again = 1; again <= 2; again++) {
    const { error } = await guarded.post(`https://turning.example:${port}/`, {}, '{}');
    expect([error, asked['turning.example']]).toEqual([expect.stringMatching(/public internet/), again]);
  }
  expect(reached).toBe(0);
});

test("an internal name that exists can't be told apart from one that doesn't", async () => {
  const [inner, ...missing] = await Promise.all(
    ['private.example', ...Object.keys(MISSING)].map(name => guarded.post(`https://${name}/`, {}, '{}')),
  );
  expect(missing).toEqual([inner, inner]);
});

test('an operator may list private hosts, which are then reached', async () => {
  const allowed = openGuardedPost(hostsOf('127.0.0.1, [::1]'), 2_000);
  const { error } = await allowed.post(`http://127.0.0.1:${port}/`, {}, '{}');
  await allowed.post(`http://[::1]:${port}/`, {}, '{}');
  await allowed.close();
  expect(error).not.toBeNull();
  expect(reached).toBeGreaterThanOrEqual(2);
});

test('a response counts once its head has arrived; a host that sends none in time is given up', async () => {
  const sockets: Socket[] = [];
  /** What is answered, by the path. */
  const answers: Record<string, (socket: Socket) => void> = {
    '/silent': () => {},
    '/half': socket => socket.write('HTTP/1.1 204 No'),
    '/endless': socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{'),
    '/long': socket =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`),
    '/busy': socket => socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 2\r\n\r\nno'),
    '/broken': socket => socket.destroy(),
  };
  const receiver = createServer(socket => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', data => answers[String(data).split(' ')[1]!]!(socket));
  });
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const allowed = openGuardedPost(hostsOf('127.0.0.1'), 300);
  // Who answers does so in time, on a busy machine too.
  const patient = openGuardedPost(hostsOf('127.0.0.1'), 6_000);
  const paths = Object.keys(answers);
  const results = await Promise.all(
    paths.map((path, index) =>
      (index < 2 ? allowed : patient).post(`http://127.0.0.1:${port}${path}`, {}, '{}'),
    ),
  );
  const late = { status: null, error: expect.stringMatching(/\b0\.3 s$/), retryAfterMs: null };
  expect(Object.fromEntries(paths.map((path, index) => [path, results[index]]))).toEqual({
    '/silent': late,
    '/half': late,
    '/endless': { status: 200, error: null, retryAfterMs: null },
    '/long': { status: 200, error: null, retryAfterMs: null },
    '/busy': { status: 503, error: expect.stringContaining('503'), retryAfterMs: 120_000 },
    '/broken': { status: null, error: expect.any(String), retryAfterMs: null },
  });
  const silent = allowed.post(`http://127.0.0.1:${port}/silent`, {}, '{}');
  await Promise.all([allowed.close(), patient.close()]);
  expect((await silent).status).toBeNull();
  expect(await allowed.post(`http://127.0.0.1:${port}/busy`, {}, '{}')).toMatchObject({ status: null });
  for (const socket of sockets) socket.destroy();
  receiver.close();
});
