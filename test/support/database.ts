import { basename } from 'node:path';
import type pg from 'pg';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { type Config, loadConfig } from '../../shared/config.ts';
import { createPool } from '../../shared/db.ts';
import { createLogger } from '../../shared/log.ts';
import { onServer, withDatabase } from './server.ts';

export type TestDatabase = { name: string; url: string; pool: pg.Pool; config: Config };

let count = 0;

/**
 * A migrated database of the test file's own (schema and queue schema, no rows), dropped when the file is done.
 * Call it where hooks may be registered: at the top of the file (`const db = await createTestDatabase()`) or in a
 * describe block. A file that fails keeps its databases; their names are printed at the end of the run.
 * @param env settings besides DATABASE_URL; nothing is read from the real environment.
 */
export async function createTestDatabase(env: Record<string, string> = {}): Promise<TestDatabase> {
  const { url: server, template, prefix } = inject('testServer');
  const file = basename(expect.getState().testPath ?? 'file', '.test.ts')
    .replaceAll(/[^a-z0-9]+/gi, '_')
    .toLowerCase();
  const name = `${prefix}${file.slice(0, 30)}_${process.pid}_${++count}`;
  await onServer(server, client => client.query(`create database ${name} template ${template}`));

  const url = withDatabase(server, name);
  const config = loadConfig({ LOG_LEVEL: 'silent', ...env, DATABASE_URL: url });
  const pool = createPool(config, createLogger(config, 'test'), { applicationName: 'plat test' });

  let ran: TaskLike | undefined;
  afterEach(({ task }) => {
    ran = task.file;
  });
  afterAll(async () => {
    await pool.end();
    // No test ran: a hook before them failed.
    if (ran === undefined || hasFailed(ran)) return;
    await onServer(server, client => client.query(`drop database ${name} with (force)`));
  });
  return { name, url, pool, config };
}

type TaskLike = { result?: { state?: string }; tasks?: readonly TaskLike[] };

function hasFailed(task: TaskLike): boolean {
  return task.result?.state === 'fail' || (task.tasks ?? []).some(hasFailed);
}
