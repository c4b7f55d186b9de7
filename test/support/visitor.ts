import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../shared/accounts/accounts.ts';
import { createLink, storePassword } from '../../shared/accounts/sign-in.ts';
import { findUser } from '../../shared/accounts/users.ts';
import type { TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';
import { eventually } from './workers.ts';

let people = 0;

/** A user with an account and a password. */
export async function newUser(
  db: TestDatabase,
  given: { email?: string; company?: string; pro?: boolean; operator?: boolean } = {},
) {
  const email = given.email ?? `ana${++people}@acme.example`;
  const account = await createAccount(db.pool, {
    name: `account of ${email}`,
    tier: 'scale',
    pro: given.pro ?? true,
    user: email,
    userName: 'Ana',
    ...(given.company === undefined ? {} : { company: given.company }),
  });
  const { id } = await findUser(db.pool, email);
  const password = 'four words that rhyme not';
  await storePassword(db.pool, id, password);
  if (given.operator) await db.pool.query('update users set operator = true where id = $1', [id]);
  return { id, email, password, accountId: account.id };
}

export type Page = { status: number; headers: Headers; text: string };

/** A browser without scripting that keeps cookies and sends forms as browsers do. */
export function visitor(api: Pick<TestApi, 'url'>) {
  const cookies = new Map<string, string>();
  async function send(path: string, init: RequestInit): Promise<Page> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('Cookie', [...cookies.values()].join('; '));
    const response = await fetch(api.url + path, { redirect: 'manual', ...init, headers });
    for (const set of response.headers.getSetCookie()) keep(set.split(';')[0]!);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  function keep(cookie: string): void {
    const [name, value] = cookie.split('=') as [string, string];
    if (value === '') cookies.delete(name);
    else cookies.set(name, cookie);
  }
  return {
    /** The session cookie. */
    get cookie() {
      return cookies.get('plat_session');
    },
    set cookie(text: string | undefined) {
      keep(text ?? 'plat_session=');
    },
    set: (name: string, value: string) => keep(`${name}=${value}`),
    open: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    submit: (
      path: string,
      fields: Record<string, string> | URLSearchParams,
      headers: Record<string, string> = {},
    ) =>
      send(path, {
        method: 'POST',
        headers: { Origin: api.url, 'Sec-Fetch-Site': 'same-origin', ...headers },
        body: new URLSearchParams(fields),
      }),
    signIn(user: { email: string; password: string }, next = '/data') {
      return this.submit('/sign-in', { email: user.email, password: user.password, how: 'password', next });
    },
  };
}

/** The path of a user's sign-in, reset, or invitation link. */
export async function linkOf(
  db: TestDatabase,
  userId: string,
  purpose: 'sign_in' | 'reset' | 'invite' = 'sign_in',
): Promise<string> {
  return createLink(db.pool, userId, purpose);
}

/**
 * Waits for an email to this address in PLAT_DIR's outbox and returns the path of its link.
 * @param origin the link's expected origin
 */
export async function mailTo(api: TestApi, email: string, origin = api.url): Promise<string> {
  const outbox = join(api.config.PLAT_DIR, 'outbox');
  const text = await eventually(async () => {
    const files = existsSync(outbox) ? readdirSync(outbox) : [];
    return files.map(file => readFileSync(join(outbox, file), 'utf8')).find(mail => mail.includes(email));
  });
  const [link] = /^https?:\S*\/sign-in\/link\/[\w-]{43}$/m.exec(text)!;
  if (!link.startsWith(`${origin}/sign-in/`)) throw new Error(`The mail leads to ${link}.`);
  return link.slice(origin.length);
}

/** A page's form fields as a browser would send them. */
export function formOf(text: string): Record<string, string> {
  const plain = (html: string) => html.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const fields: Record<string, string> = {};
  for (const [, name, options] of text.matchAll(/<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/gs))
    fields[name!] = plain(/<option value="([^"]*)" selected/.exec(options!)?.[1] ?? '');
  for (const [tag] of text.matchAll(/<input [^>]*>/g)) {
    const name = / name="([^"]+)"/.exec(tag)?.[1];
    if (name) fields[name] = plain(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  return fields;
}
