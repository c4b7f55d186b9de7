import type { Db } from '../platform/db.ts';

/** A version number per company that changes whenever one of its exports makes progress. */
export const readExportVersions = (
  db: Db,
  companyIds: readonly string[],
): Promise<{ id: string; version: string }[]> =>
  db.run<{ id: string; version: string }>('exports/read_versions', { ids: companyIds });

/** The region of a market. `type` and `code` are, for example, `county` and `33019`. */
export async function findExportMarket(
  db: Db,
  type: string,
  code: string,
): Promise<{ id: string; label: string } | undefined> {
  return (await db.run<{ id: string; label: string }>('exports/find_market', { type, code }))[0];
}
