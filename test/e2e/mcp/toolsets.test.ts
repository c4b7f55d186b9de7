import { expect, test } from 'vitest';
import { endpoints } from '../../../api/endpoints.ts';
import { promptOf, promptsIn } from '../../../api/mcp/mcp-prompts.ts';
import type { Document } from '../../../api/mcp/tool-schemas.ts';
import { toolsOf } from '../../../api/mcp/tools.ts';
import { TOOLSETS, type Toolset } from '../../../api/mcp/toolsets.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect, VERSIONS } from '../../support/mcp.ts';
import { MCP_HEADERS } from '../../support/tool-call.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db, {}, { scopes: ['api:mcp'] });
const tools = toolsOf(endpoints, openApiDocument(endpoints) as Document);

const inSets = (...sets: Toolset[]) =>
  [...tools].filter(([, { toolset }]) => sets.includes(toolset)).map(([name]) => name);

async function listed(query: string, version: (typeof VERSIONS)[number] = '2026-07-28') {
  const client = await connect(api, key, version, query);
  return (await client.listTools()).tools.map(({ name }) => name);
}

test('every toolset has tools, and each tool is in one', () => {
  for (const set of TOOLSETS) expect(inSets(set).length, set).toBeGreaterThan(1);
  expect(TOOLSETS.flatMap(set => inSets(set)).sort()).toEqual([...tools.keys()].sort());
});

test.each(VERSIONS)('a client lists only the tools of the sets it chooses: %s', async version => {
  expect(await listed('', version)).toEqual([...tools.keys()]);
  for (const set of TOOLSETS) expect(await listed(`?toolsets=${set}`, version)).toEqual(inSets(set));
  const both = inSets('parcels', 'markets');
  for (const query of ['?toolsets=parcels,markets', '?toolsets=markets,%20parcels,parcels'])
    expect(await listed(query, version), query).toEqual(both);
  expect(await listed('?toolsets=parcels&toolsets=markets', version)).toEqual(both);
  expect(await listed(`?toolsets=${TOOLSETS.join()}`, version)).toEqual([...tools.keys()]);
});

test('tools in other sets do not exist, and the error names the set', async () => {
  const client = await connect(api, key, '2026-07-28', '?toolsets=markets');
  await expect(call(client, 'list_exports')).rejects.toThrow(/\bexports\b.*\btoolsets\b/);
  expect((await call(client, 'find_regions', { q: 'sullivan' })).isError).toBe(false);
  expect(client.getInstructions()).toContain('find_regions');
  expect(client.getInstructions()).not.toContain('filter_properties');
});

test.each(['parcel', 'parcels,', '', 'parcels,__proto__', 'Parcels'])(
  'toolsets=%s is refused with the names that exist',
  async names => {
    for (const method of ['initialize', 'tools/list', 'tools/call', 'ping']) {
      const response = await fetch(`${api.url}/mcp?${new URLSearchParams({ toolsets: names })}`, {
        method: 'POST',
        headers: { ...MCP_HEADERS, Authorization: `Bearer ${key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method }),
      });
      const { id, error } = (await response.json()) as { id: number; error: Record<string, unknown> };
      expect([response.status, id, error.code], method).toEqual([400, 7, -32_602]);
      for (const set of TOOLSETS) expect(error.message).toContain(set);
    }
  },
);

test('prompts are offered with the tools that they name', async () => {
  const all = promptsIn(new Set(TOOLSETS)).map(({ name }) => name);
  expect(all).toEqual(['find_land', 'price_listing', 'study_market']);
  const given = { place: 'Sullivan County, NH', parcel: '3301900001047', places: 'Sullivan County, NH' };
  for (const name of all) {
    const text = JSON.stringify(promptOf(name, given));
    const named = [...tools.keys()].filter(tool => new RegExp(`\\b${tool}\\b`).test(text));
    expect(named.length, name).toBeGreaterThan(2);
    const needed = new Set(named.map(tool => tools.get(tool)!.toolset));
    expect(promptsIn(needed).map(prompt => prompt.name)).toContain(name);
    for (const set of needed)
      expect(
        promptsIn(new Set(TOOLSETS.filter(one => one !== set))).map(prompt => prompt.name),
      ).not.toContain(name);
  }
  const client = await connect(api, key, '2026-07-28', '?toolsets=markets');
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['study_market']);
});
