import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { rootDir } from '../../../shared/base/root.ts';
import { newCaller, startTestApi, whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { call, connect, VERSIONS, type Version } from '../../support/mcp.ts';
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

async function overStdio(version: Version): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    version === '2026-07-28' ? { versionNegotiation: { mode: { pin: version } } } : {},
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(rootDir, 'bin/plat.mjs'), 'mcp'],
      env: { ...process.env, PLAT_URL: api.url, PLAT_API_KEY: key } as Record<string, string>,
    }),
  );
  afterAll(() => client.close());
  return client;
}

test.each(VERSIONS)('tools, resources and prompts over HTTP and over standard input: %s', async version => {
  const [http, stdio] = await Promise.all([connect(api, key, version), overStdio(version)]);
  for (const client of [http, stdio]) {
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()).toContain('find_regions');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('filter_properties');

    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'plat://filters',
      'plat://statistics',
      'plat://coverage',
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as { text: string };
    expect((await read('plat://filters')).text).toContain('- acres_min (number, acres): ');
    expect((await read('plat://statistics')).text).toContain('STR');
    expect((await read('plat://coverage')).text).toContain('Sullivan');
    expect((await read('plat://coverage/33019')).text).toContain('fips: 33019');
    for (const uri of ['plat://coverage/99999', 'plat://nothing', '__proto__'])
      await expect(client.readResource({ uri })).rejects.toMatchObject({
        message: expect.stringContaining(uri),
        data: { uri },
      });

    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['find_lots', 'value_parcel', 'compare_markets']);
    const prompt = await client.getPrompt({
      name: 'find_lots',
      arguments: { place: 'Sullivan County, NH', acres: '5 to 20' },
    });
    expect(JSON.stringify(prompt.messages)).toMatch(/Sullivan County, NH\b.*\b5 to 20 acres/);
    await expect(client.getPrompt({ name: 'find_lots', arguments: {} })).rejects.toThrow(/\bplace\b/);
  }
  const given = { county: '33019', acres_min: 100, page_size: 2 };
  const [first, second] = await Promise.all(
    [http, stdio].map(client => call(client, 'filter_properties', given)),
  );
  expect({ ...second, left: 0, structured: { ...second!.structured, next: '' } }).toEqual({
    ...first,
    left: 0,
    structured: { ...first!.structured, next: '' },
  });
});

test('over standard input, a service that is not there or a key that is not known is told', async () => {
  const open = (env: Record<string, string>) =>
    new Client({ name: 'test', version: '1.0.0' }).connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(rootDir, 'bin/plat.mjs'), 'mcp'],
        env: { ...process.env, ...env } as Record<string, string>,
      }),
    );
  await expect(open({ PLAT_URL: 'http://127.0.0.1:9', PLAT_API_KEY: key })).rejects.toThrow(
    'http://127.0.0.1:9',
  );
  await expect(open({ PLAT_URL: api.url, PLAT_API_KEY: `plat_${'x'.repeat(43)}` })).rejects.toThrow(
    /API key/,
  );
});

test('over standard input, what was asked before its end is answered, and what is no message is told', async () => {
  const child = spawn(process.execPath, [join(rootDir, 'bin/plat.mjs'), 'mcp'], {
    env: { ...process.env, PLAT_URL: api.url, PLAT_API_KEY: key },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end('garbage\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
  const answers = (await text(child.stdout)).trim().split('\n');
  expect(answers.map(line => JSON.parse(line))).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 7, result: {} }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_700 }) }),
    ]),
  );
});

test('requests that are no messages, and other methods', async () => {
  expect(await send('{"jsonrpc"')).toMatchObject({ status: 400 });
  expect((await send('{"jsonrpc"')).text).toContain('-32700');
  expect((await send([toolCall('get_usage'), toolCall('get_usage')])).text).toContain('batches');
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
