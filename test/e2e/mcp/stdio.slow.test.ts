import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect, VERSIONS, type Version } from '../../support/mcp.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });

async function overStdio(version: Version, more: string[] = []): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    version === '2026-07-28' ? { versionNegotiation: { mode: { pin: version } } } : {},
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(rootDir, 'bin/plat.mjs'), 'mcp', ...more],
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
    expect(prompts.map(({ name }) => name)).toEqual(['find_land', 'price_listing', 'study_market']);
    const prompt = await client.getPrompt({
      name: 'find_land',
      arguments: { place: 'Sullivan County, NH', acres: '5 to 20' },
    });
    expect(JSON.stringify(prompt.messages)).toMatch(/Sullivan County, NH\b.*\b5 to 20 acres/);
    await expect(client.getPrompt({ name: 'find_land', arguments: {} })).rejects.toThrow(/\bplace\b/);
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

test('over standard input, a client can choose toolsets', async () => {
  const client = await overStdio('2026-07-28', ['--toolsets', 'account']);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('get_usage');
  expect(names).not.toContain('filter_properties');
});

test('over standard input, an unreachable service or an unknown key is reported', async () => {
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

test('over standard input, requests before the end of input are answered, and invalid messages are reported', async () => {
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
