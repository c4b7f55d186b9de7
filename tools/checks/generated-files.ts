import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../shared/migrate.ts';
import { rootDir } from '../../shared/root.ts';
import { dumpSchema } from '../../shared/schema-dump.ts';
import { onServer, startTestServer, withDatabase } from '../../test/support/server.ts';

export type GeneratedFile = { path: string; source: string; produce(): Promise<string> };

/** The files of the repository that are written from others, and never by hand. */
export const generatedFiles: GeneratedFile[] = [
  { path: 'sql/schema.sql', source: 'sql/migrations', produce: schemaSql },
  {
    path: 'openapi.json',
    source: 'api/openapi.ts',
    produce: async () =>
      `${JSON.stringify((await import('../../api/openapi.ts')).openApiDocument(), null, 2)}\n`,
  },
  {
    path: 'feed.schema.json',
    source: 'workers/feeds/definition.ts',
    produce: async () => (await import('../../workers/feeds/definition.ts')).feedJsonSchema(),
  },
];

/** Compares every generated file with what its source makes now; `write` brings the files up to date instead. */
export async function checkGenerated(
  files: GeneratedFile[],
  write: boolean,
  root = rootDir,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, source, produce } of files) {
    const file = join(root, path);
    let wanted: string;
    try {
      wanted = await produce();
    } catch (error) {
      problems.push(
        `${path} cannot be made from ${source}: ${error instanceof Error ? error.message : error}`,
      );
      continue;
    }
    if (write) {
      writeFileSync(file, wanted);
    } else if (!existsSync(file)) {
      problems.push(`${path} is missing: run \`npm run generate\``);
    } else {
      const line = firstDifference(readFileSync(file, 'utf8').split('\n'), wanted.split('\n'));
      if (line !== undefined)
        problems.push(`${path} does not match ${source} from line ${line} on: run \`npm run generate\``);
    }
  }
  return problems;
}

/** The number of the first line in which two texts differ. */
function firstDifference(left: string[], right: string[]): number | undefined {
  const at = left.findIndex((line, i) => line !== right[i]);
  if (at >= 0) return at + 1;
  return right.length > left.length ? left.length + 1 : undefined;
}

/** Migrates an empty database on TEST_DATABASE_URL's server, or on a throw-away one, and dumps it. */
async function schemaSql(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? undefined : await startTestServer();
  const url = given ?? server!.url;
  const name = `plat_check_${process.pid}`;
  try {
    await onServer(url, client => client.query(`create database ${name}`));
    const database = withDatabase(url, name);
    await migrate(database, { queue: false });
    const dump = await onServer(database, dumpSchema);
    await onServer(url, client => client.query(`drop database ${name}`));
    return dump;
  } finally {
    await server?.stop();
    if (server) rmSync(server.folder, { recursive: true, force: true });
  }
}
