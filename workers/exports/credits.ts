import { type Pool, statement } from '../../shared/base/db.ts';

type Source = { feed: string; title: string | null; attribution: string | null; licence: string | null };

/** What a file says of where a county's rows are from: each source with its credit and its terms. */
export async function creditOf(pool: Pool, fips: number): Promise<string> {
  const { rows } = await pool.query<{ source: Source }>(statement('exports/list_sources', { fips }));
  return rows
    .map(row => row.source)
    .map(({ feed, title, attribution, licence }) =>
      [title ?? feed, attribution, licence].filter(text => text).join(', '),
    )
    .join('; ');
}
