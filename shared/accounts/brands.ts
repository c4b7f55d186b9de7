import type { Db } from '../platform/db.ts';

/** What a company shows on its comp reports. `logo`: a PNG. `address`: lines of text. */
export type BrandOf = { company: string; logo: Buffer | null; address: string };

export const MAX_ADDRESS = 400;

/** The brand of an account's company. */
export const readBrand = async (db: Db, accountId: string): Promise<BrandOf> =>
  (await db.run<BrandOf>('accounts/read_brand', { account_id: accountId }))[0]!;

export const readCompanyBrand = async (db: Db, companyId: string): Promise<BrandOf> =>
  (await db.run<BrandOf>('accounts/read_company_brand', { company_id: companyId }))[0]!;

/** @param logo undefined keeps the logo, and null removes it */
export async function saveBrand(
  db: Db,
  companyId: string,
  { address, logo }: { address: string; logo: Buffer | null | undefined },
): Promise<void> {
  await db.run('accounts/save_brand', {
    company_id: companyId,
    address,
    logo: logo ?? null,
    keeps_logo: logo === undefined,
  });
}
