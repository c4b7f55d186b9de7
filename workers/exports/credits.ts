import type { Db } from '../../shared/platform/db.ts';

type Source = { feed: string; title: string | null; attribution: string | null; licence: string | null };

const textOf = ({ feed, title, attribution, licence }: Source): string =>
  [title ?? feed, attribution, licence].filter(text => text).join(', ');

/** The sources of a county's rows in an export, each with its credit line and terms. */
export async function creditOf(db: Db, fips: number): Promise<string> {
  const rows = await db.run<{ source: Source }>('exports/list_sources', { fips });
  return rows.map(row => textOf(row.source)).join('; ');
}

/** Credits for listings and sales, by the id of the feed that loaded them (a listing feed or a roll). */
export async function creditsOfListings(db: Db): Promise<Map<number, string>> {
  const rows = await db.run<{ id: number; source: Source }>('exports/list_listing_sources');
  return new Map(rows.map(({ id, source }) => [id, textOf(source)]));
}
