import type { Db } from '../platform/db.ts';

/** The number of the company's saved searches with changes that the user hasn't seen. */
export async function countNews(db: Db, companyId: string, userId: string): Promise<number> {
  const values = { company_id: companyId, user_id: userId };
  return (await db.run<{ news: number }>('searches/count_news', values))[0]?.news ?? 0;
}

/** Marks all changes in the search's results as seen by the user. */
export async function markSeen(db: Db, searchId: string, userId: string): Promise<void> {
  await db.run('searches/see_search', { search_id: searchId, user_id: userId });
}

export type MailReader = { name: string; email: string };

/** The recipient and search that an unsubscribe token is for. */
export async function findMailReader(db: Db, token: string): Promise<MailReader | undefined> {
  return (await db.run<MailReader>('searches/find_reader', { token }))[0];
}

/** Unsubscribes a recipient. @param all whether to unsubscribe from all saved searches */
export async function endMails(db: Db, token: string, all: boolean): Promise<void> {
  await db.run('searches/end_mails', { token, all });
}
