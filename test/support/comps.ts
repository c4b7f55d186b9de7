import { expect } from 'vitest';
import { newCaller, type TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';
import { insertListings, type ListingRow } from './listings.ts';

export const COMPS = '/api/public/v1/comps/';

export type Comp = Record<string, unknown> & { id: string };
export type CompPage = { count: number; next: string | null; previous: string | null; results: Comp[] };

const TODAY = new Date().toISOString().slice(0, 10);

/** 'YYYY-MM-DD' in UTC. */
export function daysAgo(days: number): string {
  return new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);
}

/** Creates comps and queries them as one caller. Each test uses its own ZIP. */
export async function compsCaller(db: TestDatabase, api: TestApi) {
  const { key, accountId } = await newCaller(db, { tokensIncluded: 1e9 });
  let serial = 0;

  /** @returns their ids, in order of creation */
  async function seed(zip: string, ...given: Partial<ListingRow>[]): Promise<string[]> {
    const rows = given.map(row => {
      const id = `00000000-0000-4000-8000-${(++serial).toString(16).padStart(12, '0')}`;
      return { id, zip, ...row };
    });
    await insertListings(db.pool, rows);
    return rows.map(row => row.id);
  }

  async function list(parameters: string): Promise<CompPage> {
    const reply = await api.call(`${COMPS}?${parameters}`, { key });
    expect(reply.status, reply.text).toBe(200);
    const page = reply.json as CompPage;
    expect(reply.headers.get('x-tokens-used')).toBe(String(page.results.length));
    return page;
  }

  const ids = async (parameters: string) => (await list(parameters)).results.map(comp => comp.id);
  return { key, accountId, seed, list, ids };
}
