import type { Run } from '../../../shared/platform/db.ts';

/** The company of an account. It owns the account's lists, searches, and files. */
export async function companyOf(run: Run, accountId: string): Promise<string> {
  const [row] = await run<{ company_id: string }>('accounts/read_company', { account_id: accountId });
  return row!.company_id;
}
