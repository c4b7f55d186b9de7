import { sendMail } from '../../shared/accounts/mail.ts';
import type { Config } from '../../shared/base/config.ts';
import { asRun, type Pool } from '../../shared/base/db.ts';
import type { Logger } from '../../shared/base/log.ts';
import { appUrlOf } from '../../shared/base/origin.ts';

type News = {
  email: string;
  token: string;
  search_id: string;
  name: string;
  last: number;
  added: number;
  removed: number;
  changed: number;
};

/**
 * Mails what is new in searches, one mail a person with all of them. Its links sign nobody in. Called by who
 * follows searches alone; where a worker dies behind a mail, it may come once more.
 */
export async function mailSearches(pool: Pool, config: Config, log: Logger): Promise<void> {
  const appUrl = appUrlOf(config, config.PORT);
  if (appUrl === '') return;
  const run = asRun(pool);
  const news = await run<News>('searches/list_to_mail');
  for (const email of new Set(news.map(({ email }) => email))) {
    const own = news.filter(one => one.email === email);
    await sendMail(config, log, { to: email, subject: subjectOf(own), text: textOf(own, appUrl) });
    await run('searches/mark_mailed', {
      tokens: own.map(({ token }) => token),
      lasts: own.map(({ last }) => last),
    });
  }
}

const wordsOf = ({ added, removed, changed }: News): string =>
  [
    added > 0 && `${added} added`,
    removed > 0 && `${removed} no longer found`,
    changed > 0 && `${changed} changed`,
  ]
    .filter(Boolean)
    .join(', ');

function subjectOf(own: readonly News[]): string {
  const [first] = own;
  return own.length === 1 ? `${first!.name}: ${wordsOf(first!)}` : `What is new in ${own.length} searches`;
}

const textOf = (own: readonly News[], appUrl: string): string =>
  own
    .map(
      one => `${one.name}: ${wordsOf(one)}
${appUrl}/searches/${one.search_id}
No more mails of this search: ${appUrl}/searches/unsubscribe/${one.token}
`,
    )
    .join('\n');
