import { readCompanyBrand } from '../accounts/brands.ts';
import type { Db } from '../platform/db.ts';
import type { LetterHead } from './letter-text.ts';

const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'America/New_York' });

/** The sender of a company's letters, and the date on them. */
export async function readLetterHead(db: Db, companyId: string, on: Date): Promise<LetterHead> {
  const { company, address } = await readCompanyBrand(db, companyId);
  return { sender: company, sender_address: address, date: DATE.format(on) };
}
