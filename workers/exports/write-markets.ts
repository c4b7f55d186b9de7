import { SOURCES_COLUMN } from '../../shared/exports/export-columns.ts';
import type { BucketData } from '../../shared/model/market-stats.ts';
import { creditsOfListings } from './credits.ts';
import type { FileOptions, FileRow, OtherRow, Sink, Written } from './file-writer.ts';

type Row = { id: string; code: string; etag: string; body: string };

/** A market's statistics in the API's format. */
type Body = {
  type: string;
  name: string;
  state: string;
  county_name: string;
  as_of: string;
  stats: { type: string; listings: number; data: BucketData }[];
};

/** Number of markets whose statistics are in memory at once. Each takes about 20 kB. */
const BATCH = 1_000;

/** Writes the statistics of markets, one line per bucket. A market without statistics has no lines. */
export async function writeMarkets({ db, request }: FileOptions, sink: Sink): Promise<Written> {
  const ids = request.markets!;
  // Statistics can combine listings from any feed, so credit all feeds.
  const credit = [...new Set((await creditsOfListings(db)).values())].join('; ');
  const others: OtherRow[] = [];
  let rows = 0;
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    const read = await db.run<Row>('exports/list_market_rows', { ids: batch });
    const lines = read.map(row => linesOf(row, sink, credit));
    for (const [i, { id, etag }] of read.entries())
      others.push({ id, version: etag, lines: lines[i]!.length });
    rows += lines.flat().length;
    await sink.write(toBatches(lines.flat()), batch.length, ids.length);
  }
  return { rows, parcels: [], others };
}

async function* toBatches(rows: FileRow[]): AsyncGenerator<FileRow[]> {
  yield rows;
}

function linesOf({ id, code, body }: Row, { columns }: Sink, credit: string): FileRow[] {
  const { stats, ...region } = JSON.parse(body) as Body;
  return stats.map(({ type: bucket, listings, data }) => {
    const cells: Record<string, unknown> = {
      ...region,
      ...data,
      id,
      code,
      bucket,
      listings,
      [SOURCES_COLUMN]: credit,
    };
    return { id, cells: columns.map(({ name }) => String(cells[name] ?? '')), place: null };
  });
}
