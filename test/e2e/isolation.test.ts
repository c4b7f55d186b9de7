import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import type { Document } from '../../api/mcp/tool-schemas.ts';
import { toolsOf } from '../../api/mcp/tools.ts';
import { openApiDocument } from '../../api/openapi.ts';
import { startTestApi } from '../support/api.ts';
import { type Company, createCompany, createThings, rowsOf, type Things } from '../support/companies.ts';
import { createTestDatabase } from '../support/database.ts';
import { askTool } from '../support/tool-call.ts';
import { ON_LOOPBACK } from '../support/webhooks.ts';

const PARCEL = 3301900001047;
const NAMED = { name: 'isolation' };
const FILTER = { counties: ['33019'], acres_min: 5 };

type Schema = Record<string, unknown>;
type Operation = { operationId: string; parameters?: { name: string; in: string; schema: Schema }[] } & {
  requestBody?: { content: Record<string, { schema: Schema }> };
};

/** Where a request can name something that a company owns: `path.id`, `body.leave_out.lists[]`. */
type Place = { operation: string; method: string; path: string; at: string; kind: keyof Things };

const document = openApiDocument(endpoints) as unknown as Document & {
  components: { schemas: Record<string, Schema> };
};

/** Ids that belong to no company: regions, parcels, and listings of a feed. */
const PUBLIC = /(^|\.)(region_id|listing_id|markets\[\])$/;

/** The kind of thing that an id at this place names; undefined where nobody has said. */
function kindAt(path: string, at: string): keyof Things | undefined {
  if (at === 'path.id') {
    const [family] = path.replace('/api/public/v1/', '').split('/');
    const families: Record<string, keyof Things> = {
      lists: 'list',
      searches: 'search',
      webhooks: 'webhook',
      exports: 'export',
      markets: 'market',
      'deal-flow': 'deal',
    };
    return families[family!];
  }
  const names: [RegExp, keyof Things][] = [
    [/list_id$|leave_out\.lists\[\]$/, 'list'],
    [/search_id$/, 'search'],
    [/webhook_id$/, 'webhook'],
    [/message_id$/, 'message'],
    [/emails\[\]$/, 'email'],
  ];
  return names.find(([pattern]) => pattern.test(at))?.[1];
}

/** Paths of all ids and addresses in a schema: whatever has the format, or is called like one. */
function idsIn(given: Schema | undefined, at: string): string[] {
  const schema =
    typeof given?.$ref === 'string' ? document.components.schemas[given.$ref.split('/').at(-1)!] : given;
  if (schema === undefined) return [];
  const inner = [
    ...Object.entries((schema.properties as Record<string, Schema>) ?? {}).flatMap(([name, part]) =>
      idsIn(part, `${at}.${name}`),
    ),
    ...idsIn(schema.items as Schema | undefined, `${at}[]`),
    ...['anyOf', 'oneOf', 'allOf'].flatMap(key =>
      ((schema[key] as Schema[]) ?? []).flatMap(part => idsIn(part, at)),
    ),
  ];
  const isId = schema.format === 'uuid' || schema.format === 'email' || /emails?(\[\])?$/.test(at);
  return [...(isId && schema.type !== 'array' ? [at] : []), ...inner];
}

function placesOf(): { places: Place[]; unnamed: string[] } {
  const places: Place[] = [];
  const unnamed: string[] = [];
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods as unknown as Record<string, Operation>)) {
      const found = [
        ...(operation.parameters ?? []).flatMap(({ in: where, name, schema }) =>
          idsIn(schema, `${where}.${name}`),
        ),
        ...idsIn(operation.requestBody?.content['application/json']?.schema, 'body'),
      ];
      for (const at of new Set(found)) {
        const kind = kindAt(path, at);
        if (kind !== undefined) places.push({ operation: operation.operationId, method, path, at, kind });
        else if (!PUBLIC.test(at)) unnamed.push(`${operation.operationId} ${at}`);
      }
    }
  return { places, unnamed };
}

/** What a request needs besides the id, so that the company's own id works. */
const BODIES: Record<string, object> = {
  filter_properties: FILTER,
  quote_filter: FILTER,
  create_search: { ...NAMED, filter: FILTER },
  update_search: NAMED,
  create_webhook: { url: 'https://example.com/isolation', types: ['parcel.changed'] },
  update_webhook: { types: ['parcel.changed'] },
  replay_webhook: { since: '2026-11-01T00:00:00Z' },
  create_list: NAMED,
  update_list: NAMED,
  add_list_rows: { property_ids: [PARCEL] },
  update_list_rows: { property_ids: [PARCEL], note: 'isolation' },
  create_export: { format: 'csv' },
  update_deal_flow_listing: { purchase_price: 1 },
};

const QUERIES: Record<string, Record<string, string>> = {
  remove_list_rows: { property_ids: String(PARCEL) },
};

/** Fields that the one at the place replaces: a request has one of them. */
const INSTEAD: Record<string, string[]> = {
  'replay_webhook body.message_id': ['since'],
  'add_list_rows body.filter.list_id': ['property_ids'],
};

/** Places that refuse the company's own id, too, and why. */
const REFUSED: Record<string, string> = {
  'create_search body.filter.list_id': 'a list changes without a trace that a search could follow',
  'update_search body.filter.list_id': 'the same',
  'cancel_export path.id': 'the export is ready',
};

/** Not looked up: the answer is the same for every id. */
const UNREAD = 'quote_filter body.list_id';

/** The request with the id at its place. */
function requestFor({ operation, path, at }: Place, id: string, own: Things) {
  const [where, ...names] = at.split('.') as [string, ...string[]];
  const parts: Record<string, Record<string, unknown>> = {
    path: { id: own[kindAt(path, 'path.id') ?? 'list'] },
    query: { ...QUERIES[operation] },
    body: structuredClone(BODIES[operation] ?? {}) as Record<string, unknown>,
  };
  for (const name of INSTEAD[`${operation} ${at}`] ?? []) delete parts.body![name];
  let target = parts[where]!;
  for (const [i, name] of names.entries()) {
    const field = name.replace('[]', '');
    if (i === names.length - 1) target[field] = name.endsWith('[]') ? [id] : id;
    else {
      target[field] ??= { ...(field === 'filter' && FILTER) };
      target = target[field] as Record<string, unknown>;
    }
  }
  return parts as { path: { id: string }; query: Record<string, string>; body: Record<string, unknown> };
}

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { env: ON_LOOPBACK });
const { places, unnamed } = placesOf();
const tools = toolsOf(endpoints, document);
let ours: Company;
let theirs: Company;
let before: Record<string, string[]>;

beforeAll(async () => {
  ours = await createCompany(db, api);
  theirs = await createCompany(db, api);
  before = await rowsOf(db, theirs);
});

/** An answer without what differs from call to call. */
const comparable = (reply: { status: number; json: unknown }, id: string) =>
  JSON.parse(
    JSON.stringify({ status: reply.status, json: reply.json })
      .replaceAll(id, 'ID')
      .replaceAll(/"(request_id|as_of)":"[^"]*"/g, '"$1":""'),
  );

async function send(place: Place, id: string, things = ours.things) {
  const { path, query, body } = requestFor(place, id, things);
  const address = `${place.path.replace('{id}', path.id)}?${new URLSearchParams(query)}`;
  const hasBody = Object.keys(body).length > 0;
  return api.call(address, {
    key: ours.key,
    method: place.method.toUpperCase(),
    ...(hasBody && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

const missing = (kind: keyof Things) => (kind === 'email' ? `${randomUUID()}@acme.example` : randomUUID());

async function expectUntouched(text: string): Promise<void> {
  expect(text).not.toContain(theirs.marker);
  expect(await rowsOf(db, theirs)).toEqual(before);
}

test('every id and address that a request can contain is known to be public or owned', () => {
  expect(unnamed).toEqual([]);
  expect(places.length).toBeGreaterThan(40);
});

describe.each(places.map(place => [`${place.operation} ${place.at}`, place] as const))(
  '%s',
  (name, place) => {
    test("another company's gets the same response as a missing one, and is not changed", async () => {
      const id = theirs.things[place.kind];
      const absent = missing(place.kind);
      const foreign = await send(place, id);
      const unknown = await send(place, absent);
      expect(name === UNREAD ? [200] : [400, 404]).toContain(foreign.status);
      expect(comparable(foreign, id)).toEqual(comparable(unknown, absent));
      expect(foreign.headers.get('x-tokens-used')).toBe('0');
      await expectUntouched(foreign.text.replaceAll(id, 'ID'));

      // The same request with an id of its own shows that nothing else is wrong with it.
      if (REFUSED[name] !== undefined) return;
      const things = place.method === 'delete' ? await createThings(db, api, ours) : ours.things;
      const own = await send(place, things[place.kind], things);
      expect(own.status, own.text).toBeLessThan(300);
    });

    const tool = tools.get(place.operation);
    test.runIf(tool !== undefined)('the same over MCP', async () => {
      const ask = async (id: string) => {
        const { path, query, body } = requestFor(place, id, ours.things);
        const given = { ...(place.path.includes('{id}') && path), ...query, ...body };
        return askTool(api.url, ours.key, [place.operation, given]);
      };
      const id = theirs.things[place.kind];
      const absent = missing(place.kind);
      const foreign = await ask(id);
      expect(name === UNREAD ? [200] : [400, 404]).toContain(foreign.status);
      expect(comparable(foreign, id)).toEqual(comparable(await ask(absent), absent));
      expect(foreign.tokens).toBe(0);
      await expectUntouched(JSON.stringify(foreign.json).replaceAll(id, 'ID'));
    });
  },
);

test("lists contain only the company's own things", async () => {
  for (const { path, method, operationId } of endpoints) {
    if (method !== 'get' || path.includes('{')) continue;
    const { text } = await api.call(path, { key: ours.key });
    for (const [kind, id] of Object.entries(theirs.things))
      expect(text, `${operationId} shows another company's ${kind}`).not.toContain(id);
    expect(text, operationId).not.toContain(theirs.marker);
  }
});
