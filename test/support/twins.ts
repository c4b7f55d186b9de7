import { expect } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import type { Document } from '../../api/mcp/tool-schemas.ts';
import { toolsOf } from '../../api/mcp/tools.ts';
import { openApiDocument } from '../../api/openapi.ts';
import { newCaller, startTestApi, type TestApi } from './api.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { insertListings } from './listings.ts';
import { insertEstimates, insertParcels, square, type TestParcel } from './parcels.ts';
import { askTool } from './tool-call.ts';

/** Two services that differ only in paid data, and a client without tokens for each. */

/** A county with so few parcels that a client must learn nothing about them, and a county with many. */
export const FEW = 33_005;
export const MANY = 33_019;
export const idIn = (fips: number, n: number): number => fips * 1e8 + n;

const OWNERS = ['ADA ONE', 'BEA TWO', 'CAL THREE', 'DEE FOUR'] as const;
const keyOf = (n: number) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;

/**
 * Twelve parcels in the small county and sixty in the large one. The second twin differs: parcels 1 and 2 in
 * each county swap values, parcels 1 and 2 in the small county swap owners, and the small county's parcel 3
 * and one of seven sales have different acreages. Counts of 25 and more, the set of names, and the county's
 * coverage are the same.
 */
function parcelsOf(second: boolean): TestParcel[] {
  const other = (n: number) => (second && n <= 2 ? 3 - n : n);
  const parcel = (fips: number, n: number, ownerOf: (n: number) => number): TestParcel => {
    const owner = ownerOf(n);
    const value = 10_000 * (other(n) % 10);
    const acres = fips === FEW && n === 3 && second ? 1 : 5 + (n % 3);
    return {
      property_id: idIn(fips, n),
      apn: `${n}-${fips % 100}`,
      owner_key: keyOf(owner),
      place_key: keyOf(owner),
      out_of_zip_owner: n % 2 === 0,
      owner_name: OWNERS[owner % OWNERS.length] ?? null,
      mail_zip: '03280',
      situs_address: `${n} MAIN ST`,
      situs_city: 'NEWPORT',
      situs_zip: fips === FEW ? '03280' : '03773',
      acres,
      market_total_value: value,
      assessed_total_value: value,
      boundary: square(-72 - fips / 1e6 - n / 1_000, 43.3),
    };
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  return [
    ...numbers(12).map(n => parcel(FEW, n, m => (m <= 2 ? other(m) - 1 : m % 2))),
    ...numbers(60).map(n => parcel(MANY, n, m => 100 + m)),
  ];
}

async function fill({ pool }: TestDatabase, second: boolean): Promise<void> {
  const parcels = parcelsOf(second);
  await insertParcels(pool, parcels);
  const values = parcels.map(
    one => [one.property_id, [Number(one.market_total_value) + 1, 1_000] as const] as const,
  );
  await insertEstimates(pool, new Map(values));
  await insertListings(
    pool,
    Array.from({ length: 7 }, (_, n) => ({
      id: `00000000-0000-4000-8000-00000000000${n}`,
      fips: FEW,
      zip: '03280',
      status: 'SOLD' as const,
      price: 10_000,
      lotAcres: second && n === 0 ? 15 : 6,
      soldDate: '2026-05-20',
    })),
  );
}

export type Twin = { api: TestApi; db: TestDatabase; key: string; ids: Map<string, string>; made: string[] };

/** @param prepare adds more data to both services, or to the second one only */
export async function startTwins(
  prepare?: (db: TestDatabase, second: boolean) => Promise<void>,
): Promise<[Twin, Twin]> {
  const twins: Twin[] = [];
  for (const second of [false, true]) {
    const db = await createTestDatabase({}, { regions: true });
    await fill(db, second);
    await prepare?.(db, second);
    const api = await startTestApi(db, { now: () => new Date('2026-07-01T12:00:00Z') });
    twins.push({ api, db, key: '', ids: new Map(), made: [] });
  }
  for (const twin of twins) await newClient(twin);
  return twins as [Twin, Twin];
}

/** A company that has not paid for anything, and can't without tokens. */
export async function newClient(twin: Twin, tokensIncluded = 0): Promise<void> {
  const client = await newCaller(
    twin.db,
    { tokensIncluded, overageAllowed: false },
    { scopes: ['api:direct', 'api:mcp'] },
  );
  Object.assign(twin, { key: client.key, made: [], ids: new Map() });
}

const TOOLS = toolsOf(endpoints, openApiDocument(endpoints) as Document);
const BY_ID = new Map(endpoints.map(endpoint => [endpoint.operationId, endpoint]));

/** `{made}` in a string is replaced with the twin's newest list, search, or export. */
export type Step = {
  operation: string;
  params?: Record<string, string | number>;
  query?: Record<string, string | number>;
  body?: object;
  how?: 'rest' | 'mcp' | 'head';
};

/** A step's response as the client sees it, without ids, times, and secrets. */
export async function take(twin: Twin, step: Step): Promise<string> {
  const text = JSON.stringify(step).replaceAll('{made}', twin.made.at(-1) ?? keyOf(0));
  const { operation, params = {}, query = {}, body, how = 'rest' } = JSON.parse(text) as Step;
  const endpoint = BY_ID.get(operation);
  if (endpoint === undefined) throw new Error(`There is no operation ${operation}`);
  if (how === 'mcp' && TOOLS.has(operation)) {
    const given = { ...params, ...query, ...body };
    const { status, tokens, json } = await askTool(twin.api.url, twin.key, [operation, given]);
    note(twin, json);
    return seen(twin, JSON.stringify([status, tokens, json]));
  }
  const isHead = how === 'head' && endpoint.method === 'get';
  const reply = await fetch(twin.api.url + addressOf(endpoint, params, query), {
    method: isHead ? 'HEAD' : endpoint.method.toUpperCase(),
    headers: {
      Authorization: `Bearer ${twin.key}`,
      'Content-Type': 'application/json',
      // The length of a compressed response depends on its random ids.
      'Accept-Encoding': 'identity',
    },
    ...(endpoint.body && { body: JSON.stringify(body ?? {}) }),
  });
  const answer = await reply.text();
  if (reply.status < 300 && answer !== '') note(twin, JSON.parse(answer));
  const names = [
    'x-tokens-used',
    'content-type',
    'location',
    'retry-after',
    ...(isHead ? ['content-length'] : []),
  ];
  const headers = names.map(name => reply.headers.get(name));
  return seen(twin, JSON.stringify([reply.status, headers, answer]));
}

function addressOf({ path }: Endpoint, params: object, query: object): string {
  const values = params as Record<string, string>;
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return `${place}?${search}`;
}

function note(twin: Twin, json: unknown): void {
  const { id } = (json ?? {}) as { id?: unknown };
  if (typeof id === 'string') twin.made.push(id);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/**
 * Replaces ids and a list's update times with numbers in order of appearance, and cursors with their decoded
 * contents.
 */
function seen({ ids, api }: Twin, text: string): string {
  const nth = (what: string) => (value: string) => {
    if (!ids.has(value)) ids.set(value, `${what} ${ids.size}`);
    return ids.get(value)!;
  };
  return text
    .replaceAll(api.url, '')
    .replaceAll(/(?<=cursor(?:=|\\*":\\*"))[\w-]+/g, cursor => {
      const {
        t: _time,
        r: _request,
        ...said
      } = JSON.parse(Buffer.from(cursor, 'base64url').subarray(16).toString()) as Record<string, unknown>;
      return JSON.stringify(said);
    })
    .replaceAll(/whsec_[\w+/=]+|(?<=request_id\\*":\\*")[^"\\]+/g, '…')
    .replaceAll(/updated_at\\*":\\*"[^"\\]+/g, nth('change'))
    .replaceAll(UUID, nth('id'))
    .replaceAll(MOMENT, 'then');
}

/** Expects the same responses from both, step by step. */
export async function expectAlike(
  [first, second]: readonly [Twin, Twin],
  steps: readonly Step[],
): Promise<void> {
  for (const [n, step] of steps.entries()) {
    const [one, other] = [await take(first, step), await take(second, step)];
    expect(other, `step ${n}: ${JSON.stringify(step)} of ${JSON.stringify(steps)}`).toBe(one);
  }
}
