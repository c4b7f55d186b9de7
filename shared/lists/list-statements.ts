import type { Db } from '../platform/db.ts';

export type FoundList = { id: string; name: string; updated_at: Date };

/** Undefined if the company has no such list. */
export async function findCompanyList(
  db: Db,
  companyId: string | null | undefined,
  listId: string,
): Promise<FoundList | undefined> {
  return (await db.run<FoundList>('lists/find_list', { company_id: companyId, list_id: listId }))[0];
}

/** The county that most of a list's parcels are in. */
export async function findMainCounty(db: Db, listId: string): Promise<string | undefined> {
  return (await db.run<{ fips: string }>('lists/find_main_county', { list_id: listId }))[0]?.fips;
}
