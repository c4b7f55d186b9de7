import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type components, PlatError, unwrap } from '../index.ts';
import { sleep } from '../retries.ts';
import { COMMON, connectWith, readOptions, report, UsageError } from './options.ts';
import { replaceFile } from './replace-file.ts';

type ChangePage = components['schemas']['ChangePage'];
type Stored = { query: Query; cursor: string };
type Query = { fips?: string; types?: string; search_id?: string };

/** Changes per page. A page costs 1 token per 10 changes. */
const PAGE = 500;

/**
 * Prints changes as lines of JSON. The cursor is stored after its lines are written, so a run that is killed
 * loses none, and may print the last page again.
 */
export async function watch(args: string[]): Promise<void> {
  const { values } = readOptions({
    args,
    allowPositionals: false,
    options: {
      ...COMMON,
      fips: { type: 'string' },
      types: { type: 'string' },
      search: { type: 'string' },
      cursor: { type: 'string', default: 'plat-watch.json' },
      every: { type: 'string', default: '60' },
      once: { type: 'boolean' },
    },
  });
  const seconds = Number(values.every);
  if (!(seconds >= 1)) throw new UsageError('--every takes a number of seconds, 1 or more.');
  const query: Query = {
    ...(values.fips !== undefined && { fips: values.fips }),
    ...(values.types !== undefined && { types: values.types }),
    ...(values.search !== undefined && { search_id: values.search }),
  };
  const plat = connectWith(values);
  const read = (at: { cursor: string } | { from: 'now' }) =>
    unwrap(plat.GET('/api/public/v1/changes/', { params: { query: { ...query, ...at, limit: PAGE } } }));
  let stored = readCursor(values.cursor, query);
  if (stored === undefined) report(`Watching from now on. ${values.cursor} has the cursor.`);
  for (;;) {
    const page: ChangePage = await read(stored === undefined ? { from: 'now' } : { cursor: stored }).catch(
      error => {
        throw error instanceof PlatError && error.status === 410 ? expired(error, values.cursor) : error;
      },
    );
    for (const change of page.results)
      if (!process.stdout.write(`${JSON.stringify(change)}\n`)) await once(process.stdout, 'drain');
    if (page.next_cursor !== stored)
      replaceFile(values.cursor, { query, cursor: page.next_cursor } satisfies Stored);
    stored = page.next_cursor;
    if (page.has_more) continue;
    if (values.once) return;
    await sleep(seconds * 1_000);
  }
}

const expired = (error: PlatError, file: string): Error =>
  new Error(`${error.message}\nLoad your copy again, delete ${file}, and start again.`);

/** @throws UsageError if the file belongs to other options */
function readCursor(file: string, query: Query): string | undefined {
  if (!existsSync(file)) return undefined;
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored;
  if (JSON.stringify(stored.query) !== JSON.stringify(query))
    throw new UsageError(
      `${file} has the cursor of other options: ${JSON.stringify(stored.query)}. Name another file with --cursor.`,
    );
  return stored.cursor;
}
