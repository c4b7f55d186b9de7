import type { Db } from '../platform/db.ts';

/** Saved searches of the company in which something is new for the user. */
export async function countNews(db: Db, companyId: string, userId: string): Promise<number> {
  const values = { company_id: companyId, user_id: userId };
  return (await db.run<{ news: number }>('searches/count_news', values))[0]?.news ?? 0;
}

/** What is new in the search is no longer new for the user. */
export async function markSeen(db: Db, searchId: string, userId: string): Promise<void> {
  await db.run('searches/see_search', { search_id: searchId, user_id: userId });
}

export type MailReader = { name: string; email: string };

/** Who gets the emails whose unsubscribe link has this token, and of which search. */
export async function findMailReader(db: Db, token: string): Promise<MailReader | undefined> {
  return (await db.run<MailReader>('searches/find_reader', { token }))[0];
}

/** @param all of all saved searches */
export async function endMails(db: Db, token: string, all: boolean): Promise<void> {
  await db.run('searches/end_mails', { token, all });
}
