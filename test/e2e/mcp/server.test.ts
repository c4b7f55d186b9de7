import { expect, onTestFinished, test, vi } from 'vitest';
import { newCaller, startTestApi, whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { call, connect, VERSIONS } from '../../support/mcp.ts';
import { MCP_HEADERS, toolCall } from '../../support/tool-call.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });

/** A message as it is, with whatever headers. */
async function send(body: unknown, headers: Record<string, string> = {}, method = 'POST') {
  const response = await fetch(`${api.url}/mcp`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...MCP_HEADERS,
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('requests that are no messages, and other methods', async () => {
  expect(await send('{"jsonrpc"')).toMatchObject({ status: 400 });
  expect((await send('{"jsonrpc"')).text).toContain('-32700');
  expect((await send([toolCall('get_usage'), toolCall('get_usage')])).text).toContain('-32600');
  expect(await send(`"${'x'.repeat(1_100_000)}"`)).toMatchObject({ status: 400 });
  expect(await send('', {}, 'GET')).toMatchObject({ status: 405 });
  expect(await send('', {}, 'DELETE')).toMatchObject({ status: 405 });
  for (const Authorization of ['', 'Bearer plat_x', `Bearer ${'x'.repeat(43)}`])
    expect(await send(toolCall('get_usage'), { Authorization })).toMatchObject({ status: 401 });
});

test('subscriptions are refused by their name', async () => {
  for (const version of VERSIONS) {
    const reply = await send(
      { jsonrpc: '2.0', id: 'listening', method: 'subscriptions/listen', params: { notifications: {} } },
      { 'MCP-Protocol-Version': version },
    );
    expect(JSON.parse(reply.text)).toMatchObject({
      id: 'listening',
      error: { code: -32_601, message: expect.stringContaining('subscriptions/listen') },
    });
  }
});

test('looking people up asks others and is kept on record; all else that reads does neither', async () => {
  const { tools } = await (await connect(api, key)).listTools();
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations!]));
  for (const name of ['skip_trace_owner', 'skip_trace_property_owner'])
    expect(hints.get(name)).toMatchObject({ readOnlyHint: false, openWorldHint: true });
  expect(hints.get('filter_properties')).toMatchObject({ readOnlyHint: true, openWorldHint: false });
});

test('what a call costs stands in the headers, too', async () => {
  const reply = await send(toolCall('get_property', { property_id: 3301900001047 }));
  expect(reply.headers.get('x-tokens-used')).toBe('10');
  expect(Number(reply.headers.get('x-ratelimit-remaining'))).toBeLessThan(60_000);
  expect(reply.headers.get('content-type')).toMatch(/json|event-stream/);
});

test('pages of other sites are kept out, whatever their name was pointed at', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const { port } = new URL(api.url);
  for (const [headers, status] of [
    [{ Host: `evil.example:${port}` }, 421],
    [{ Host: `localhost:${port}` }, 200],
    [{ Origin: 'http://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'http://localhost:6274' }, 200],
  ] as const) {
    // fetch does not let a program set Host.
    const reply = await new Promise<number>((resolve, reject) => {
      import('node:http').then(({ request }) => {
        const all = {
          Authorization: `Bearer ${key}`,
          ...MCP_HEADERS,
        };
        const sent = request(
          `${api.url}/mcp`,
          { method: 'POST', headers: { ...all, ...headers } },
          response => {
            response.resume();
            resolve(response.statusCode!);
          },
        );
        sent.on('error', reject);
        sent.end(JSON.stringify(ping));
      });
    });
    expect(reply, JSON.stringify(headers)).toBe(status);
  }
});

/** Statements of the API that wait for a lock. */
const waiting = () => lockWaits(db);

test.each(['mcp', 'rest'])('a client that leaves stops the query, and pays nothing: %s', async way => {
  await whileLocked(db, ['lock table saved_markets in access exclusive mode'], async () => {
    const leave = new AbortController();
    const init = { signal: leave.signal, headers: { Authorization: `Bearer ${key}` } };
    const asked =
      way === 'rest'
        ? fetch(`${api.url}/api/public/v1/markets/`, init)
        : fetch(`${api.url}/mcp`, {
            method: 'POST',
            signal: leave.signal,
            body: JSON.stringify(toolCall('list_saved_markets')),
            headers: {
              ...init.headers,
              ...MCP_HEADERS,
            },
          });
    const left = expect(asked).rejects.toThrow();
    await expect.poll(waiting).toBe(1);
    leave.abort();
    await left;
    await expect.poll(waiting).toBe(0);
  });
});

test('a tool that takes too long says so, and its query is stopped', async () => {
  // Less than the limits of the pool and of the client, which go by the same timers.
  const hasty = await startTestApi(db, { env: { REQUEST_TIMEOUT_MS: '20000' } });
  const client = await connect(hasty, key);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  await whileLocked(db, ['lock table saved_markets in access exclusive mode'], async () => {
    const asked = call(client, 'list_saved_markets');
    await expect.poll(waiting).toBe(1);
    vi.advanceTimersByTime(hasty.config.REQUEST_TIMEOUT_MS);
    const answer = await asked;
    expect(JSON.parse(answer.text).error).toMatchObject({ code: 'internal_error' });
    expect(JSON.parse(answer.text).error.message).not.toBe('');
    await expect.poll(waiting).toBe(0);
  });
});
