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
 * Mails what is new in searches, one mail a person with all of them. Its links sign nobody in. Called by who
 * follows searches alone; where a worker dies behind a mail, it may come once more.
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
      log.warn({ err: error }, 'what is new in searches could not be mailed to one; it is tried again');
    }
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

const endOf = ({ token }: News, appUrl: string): string => `${appUrl}/searches/unsubscribe/${token}`;

/** Of a search; the rest is behind its link. */
const PARCELS_NAMED = 10;

/** Parcels and what became of them, no owners: mails are forwarded. */
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

No more mails of this search: ${endOf(one, appUrl)}
`);
  }
  if (own.length > 1) parts.push(`No more mails of any search: ${endOf(own[0]!, appUrl)}?all=true\n`);
  return parts.join('\n');
}
