import { sendMail } from '../../shared/accounts/mail.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Logger } from '../../shared/platform/log.ts';
import { appUrlOf } from '../../shared/platform/origin.ts';
import { becameWords, nameNotes } from '../../shared/searches/search-notes.ts';

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
 * Emails each person the changes in all of their searches, in one email. Its links don't sign anyone in. Only
 * the holder of the searches lock calls this. If a worker dies right after an email, it may be sent again.
 */
export async function mailSearches(db: Db, config: Config, log: Logger): Promise<void> {
  const appUrl = appUrlOf(config, config.PORT);
  if (appUrl === '') return;
  const news = await db.run<News>('searches/list_to_mail');
  for (const email of new Set(news.map(({ email }) => email))) {
    const own = news.filter(one => one.email === email);
    try {
      await sendMail(config, log, {
        to: email,
        subject: subjectOf(own),
        text: await textOf(db, own, appUrl),
        unsubscribe: `${endOf(own[0]!, appUrl)}?all=true`,
      });
      await db.run('searches/mark_mailed', {
        tokens: own.map(({ token }) => token),
        lasts: own.map(({ last }) => last),
      });
    } catch (error) {
      log.warn({ err: error }, "search changes couldn't be emailed to one recipient; retrying");
    }
  }
}

const wordsOf = ({ added, removed, changed }: News): string =>
  [
    added > 0 && `${added} added`,
    removed > 0 && `${removed} no longer ${removed === 1 ? 'matches' : 'match'}`,
    changed > 0 && `${changed} changed`,
  ]
    .filter(Boolean)
    .join(', ');

function subjectOf(own: readonly News[]): string {
  const [first] = own;
  return own.length === 1 ? `${first!.name}: ${wordsOf(first!)}` : `Changes in ${own.length} saved searches`;
}

const endOf = ({ token }: News, appUrl: string): string => `${appUrl}/searches/unsubscribe/${token}`;

/** Parcels named per search. The link shows the rest. */
const PARCELS_NAMED = 10;

/** Parcels and their changes, without owners, because emails get forwarded. */
async function textOf(db: Db, own: readonly News[], appUrl: string): Promise<string> {
  const parts: string[] = [];
  for (const one of own) {
    const count = one.added + one.removed + one.changed;
    const notes = await nameNotes(db, one.search_id, Math.min(count, PARCELS_NAMED));
    const lines = notes.map(
      note =>
        `- ${[note.name, note.detail].filter(Boolean).join(' · ')}: ${becameWords(note)}\n  ${appUrl}/data?parcel=${note.property_id}`,
    );
    if (count > notes.length) lines.push(`- and ${(count - notes.length).toLocaleString('en-US')} more`);
    parts.push(`${one.name}: ${wordsOf(one)}
${appUrl}/searches/${one.search_id}

${lines.join('\n')}

Unsubscribe from this search: ${endOf(one, appUrl)}
`);
  }
  if (own.length > 1) parts.push(`Unsubscribe from all searches: ${endOf(own[0]!, appUrl)}?all=true\n`);
  return parts.join('\n');
}
