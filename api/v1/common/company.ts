import type { Db } from '../../../shared/platform/db.ts';

/** The company of an account. It owns the account's lists, searches, and files. */
export async function companyOf(db: Db, accountId: string): Promise<string> {
  const [row] = await db.run<{ company_id: string }>('accounts/read_company', { account_id: accountId });
  return row!.company_id;
}
