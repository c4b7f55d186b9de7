import { makeExportJob } from '../../workers/exports/make-export-job.ts';
import { newCaller, posting, type TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';
import type { TestDb } from './test-db.ts';
import { jobContext, workerConfig } from './workers.ts';

export type ExportJson = {
  id: string;
  state: string;
  rows: number | null;
  free_rows: number | null;
  tokens: number | null;
  parts: { n: number; url: string; bytes: number; sha256: string }[];
  url: string | null;
  error?: { code: string; details?: Record<string, string[]> };
};

/** A caller with a new company, and a colleague. */
export async function newCompany(db: TestDatabase) {
  const name = `company of exports ${++companies}`;
  const caller = await newCaller(db, { company: name });
  return { ...caller, colleague: (await newCaller(db, { company: name })).key };
}
let companies = 0;

export const EXPORTS = '/api/public/v1/exports/';

/** Runs the queued export jobs as a worker would. */
export async function makeExports(db: TestDatabase): Promise<void> {
  const rows = await openExports(db.pool);
  for (const { id } of rows)
    await makeExportJob
      .run(jobContext(db.pool, workerConfig(db, 'postgres')), { export: id })
      // The export records the error.
      .catch(() => {});
}

async function openExports(pool: TestDb): Promise<{ id: string }[]> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from exports where state in ('queued', 'running') order by created_at",
  );
  return rows;
}

export async function order(api: TestApi, key: string, body: object): Promise<ExportJson> {
  const reply = await api.call(EXPORTS, posting(key, JSON.stringify(body)));
  if (reply.status !== 202) throw new Error(`${reply.status}: ${reply.text}`);
  return reply.json as ExportJson;
}

export const look = async (api: TestApi, key: string, id: string): Promise<ExportJson> =>
  (await api.call(`${EXPORTS}${id}/`, { key })).json as ExportJson;

/** Orders an export, generates it, and returns its details. */
export async function exportFile(
  db: TestDatabase,
  api: TestApi,
  key: string,
  body: object,
): Promise<ExportJson> {
  const { id } = await order(api, key, body);
  await makeExports(db);
  return look(api, key, id);
}

/** The bytes of all parts, concatenated. */
export async function joinParts(made: ExportJson): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const { url } of made.parts) parts.push(Buffer.from(await (await fetch(url)).arrayBuffer()));
  return Buffer.concat(parts);
}

/** Tokens that an account has used, and tokens held for exports. */
export async function periodOf(pool: TestDb, accountId: string): Promise<{ used: number; held: number }> {
  const { rows } = await pool.query<{ used: number; held: number }>(
    'select tokens_used as used, tokens_held as held from usage_periods where account_id = $1 and period_end is null',
    [accountId],
  );
  return rows[0]!;
}
