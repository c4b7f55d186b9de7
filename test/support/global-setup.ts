import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../shared/platform/migrate.ts';
import { build } from '../../tools/build.mjs';
import { sweepRunFolders } from '../../workers/ingest/engine/run-folder.ts';
import { clearRedis } from './redis.ts';
import { FOLDER_PREFIX, FOLDERS, onServer, startTestServer, withDatabase } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `programs` is a folder for built programs. See programs.ts. */
    testServer: { url: string; template: string; prefix: string; programs: string; cluster: boolean };
  }
}

/**
 * Starts one PostgreSQL and creates one migrated template database per run. TEST_DATABASE_URL names a server
 * to use instead of a throwaway one. Its user must be allowed to create databases. TEST_CITUS_URL names a
 * database on the coordinator of a Citus cluster with registered nodes, over which the test databases are
 * then distributed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeOldFolders();
  await build();
  const cluster = process.env.TEST_CITUS_URL;
  const existingUrl = cluster ?? process.env.TEST_DATABASE_URL;
  const server = existingUrl ? undefined : await startTestServer();
  const url = existingUrl ?? server!.url;
  const stopHandling = onInterrupt(() => {
    server?.kill();
    if (server) rmSync(server.folder, { recursive: true, force: true });
  });
  const run = randomBytes(3).toString('hex');
  const template = `plat_template_${run}`;
  const prefix = `plat_test_${run}_`;

  await onServer(url, client => client.query(`create database ${template}`));
  await migrate(withDatabase(url, template));
  const programs = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
  project.provide('testServer', { url, template, prefix, programs, cluster: cluster !== undefined });

  return async () => {
    const leftover = await onServer(url, async client => {
      const { rows } = await client.query<{ name: string; template: boolean }>(
        `select datname as name, starts_with(datname, $2) as template from pg_database
         where starts_with(datname, $1) or starts_with(datname, $2)`,
        [prefix, template],
      );
      for (const made of rows.filter(row => row.template))
        await client.query(`drop database ${made.name} with (force)`);
      return rows.filter(row => !row.template).map(row => row.name);
    });
    stopHandling();
    await server?.stop();
    rmSync(programs, { recursive: true });
    sweepRunFolders();
    if (process.env.TEST_REDIS_URL) await clearRedis(process.env.TEST_REDIS_URL, prefix);
    if (leftover.length > 0) report(leftover, existingUrl, server?.folder);
    else if (server) rmSync(server.folder, { recursive: true, force: true });
  };
}

/**
 * Stops the server, because Ctrl-C and `kill` skip the teardown, and the server runs in its own process
 * group.
 */
function onInterrupt(end: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const handle = (signal: NodeJS.Signals) => {
    end();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.once(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}

function report(leftover: string[], existingUrl: string | undefined, folder: string | undefined): void {
  const where = folder
    ? `npx tsx test/support/reopen.ts ${folder}`
    : `they are on ${new URL(existingUrl!).host}`;
  process.stderr.write(
    `\nDatabases of failed test files were kept (${where}):\n${leftover.map(name => `  ${name}\n`).join('')}`,
  );
}

/** Removes databases that failed runs kept more than a day ago, because no one will look at them now. */
function removeOldFolders(): void {
  const yesterday = Date.now() - 24 * 3_600_000;
  for (const parent of FOLDERS.filter(folder => existsSync(folder))) {
    for (const name of readdirSync(parent).filter(entry => entry.startsWith(FOLDER_PREFIX))) {
      const folder = join(parent, name);
      const stat = statSync(folder, { throwIfNoEntry: false });
      if (stat !== undefined && stat.mtimeMs < yesterday) rmSync(folder, { recursive: true, force: true });
    }
  }
}
