import {
  endSession,
  endSessions,
  findByEmail,
  findLink,
  type Link,
  recordEvent,
  useLink,
} from '../../../shared/accounts/account-statements.ts';
import { acceptInvitation } from '../../../shared/accounts/invitations.ts';
import { sendMail } from '../../../shared/accounts/mail.ts';
import {
  createLink,
  type LinkPurpose,
  linkLifetime,
  requirePassword,
  storePassword,
  tokenHashOf,
  verifyPassword,
} from '../../../shared/accounts/sign-in.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { Field, Notice, narrowPage } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { forgetCookie, openSession, type Reply, safePath, type Visit } from '../frame/visit.ts';
import { NewPassword } from './account-people.tsx';
import { countSignIn, rememberDevice } from './sign-in-attempts.ts';

const WRONG_PASSWORD = 'The address or the password is wrong. You can have a link sent instead.';

const signIn: Page = {
  path: '/sign-in',
  access: 'public',
  get: visit => {
    const next = safePath(visit.url.searchParams.get('next'));
    return visit.session ? { redirect: next } : signInPage(next);
  },
  actions: {
    default: visit =>
      visit.form.get('how') === 'link' ? sendLink(visit, emailOf(visit), 'sign_in') : signInByPassword(visit),
  },
};

const emailOf = ({ form }: Visit): string => (form.get('email') ?? '').trim();

async function signInByPassword(visit: Visit): Promise<Reply> {
  const email = emailOf(visit);
  const next = safePath(visit.form.get('next'));
  await countSignIn(visit, 'password', email);
  const user = await findByEmail(visit.deps.db, email);
  if (!(await verifyPassword(user?.hash, visit.form.get('password') ?? '')))
    return signInPage(next, email, WRONG_PASSWORD);
  await startSession(visit, user!.id);
  return { redirect: next };
}

async function startSession(visit: Visit, userId: string): Promise<void> {
  await openSession(visit, userId);
  await rememberDevice(visit, userId);
}

const Address = ({ value }: { value?: string }) => (
  <Field label="E-mail address" name="email" type="email" autocomplete="username" required value={value} />
);

function signInPage(next: string, email = '', fault?: string): Reply {
  const content = (
    <>
      {fault && <Notice kind="bad">{fault}</Notice>}
      <form method="post" action="/sign-in" class="stack">
        <input type="hidden" name="next" value={next} />
        <Address value={email} />
        <Field label="Password" name="password" type="password" autocomplete="current-password" />
        <div class="buttons">
          <button type="submit" name="how" value="password">
            Sign in
          </button>
          <button type="submit" name="how" value="link" class="second">
            Mail me a link
          </button>
        </div>
      </form>
      <p>
        <small>
          <a href="/sign-in/reset">Forgotten password?</a> A link signs you in without one.
        </small>
      </p>
    </>
  );
  return { ...narrowPage('Sign in', content), status: fault ? 401 : 200 };
}

const reset: Page = {
  path: '/sign-in/reset',
  access: 'public',
  get: () =>
    narrowPage(
      'Set a new password',
      <>
        <form method="post" action="/sign-in/reset" class="stack">
          <Address />
          <div class="buttons">
            <button type="submit">Mail me a link</button>
          </div>
        </form>
        <p>
          <small>
            <a href="/sign-in">Back to signing in</a>
          </small>
        </p>
      </>,
    ),
  actions: { default: visit => sendLink(visit, emailOf(visit), 'reset') },
};

const SUBJECTS: Record<LinkPurpose, string> = {
  sign_in: 'Your link to sign in to Plat',
  reset: 'Set a new password for Plat',
  invite: 'You are invited to Plat',
};

const INTRODUCTIONS = {
  sign_in: 'You requested a link to sign in to Plat:',
  reset: 'You requested a link to set a new password for Plat:',
};

/**
 * Where mailed links lead. @throws PlatError `unprocessable` where the service does not know its own address:
 * no request tells it.
 */
export function requireAppUrl({ appUrl }: Visit): string {
  if (appUrl !== '') return appUrl;
  throw new PlatError(
    'unprocessable',
    'No mail can be sent: the operator of this service has to set BASE_URL. They can also make a link with `plat user link`.',
  );
}

/** The same answer whether the address is known, at the same moment: the mail goes out behind it. */
async function sendLink(visit: Visit, email: string, purpose: 'sign_in' | 'reset'): Promise<Reply> {
  const { deps } = visit;
  await countSignIn(visit, purpose, email);
  requireAppUrl(visit);
  const mailing = (async () => {
    const user = await findByEmail(visit.deps.db, email);
    if (user === undefined) return;
    const path = await createLink(deps.db, user.id, purpose);
    await mailLink(visit, user.email, { purpose, path, introduction: INTRODUCTIONS[purpose] });
  })();
  mailing.catch(error => deps.log.error({ err: error }, 'a mail with a link was not sent'));
  const content = (
    <>
      <p>
        If <b>{email}</b> is known here, a link is on its way to it. It works once, for{' '}
        {linkLifetime(purpose)}.
      </p>
      <p>
        <a href="/sign-in">Back to signing in</a>
      </p>
    </>
  );
  return narrowPage('Look into your mail', content);
}

type MailedLink = { purpose: LinkPurpose; path: string; introduction: string };

/** @returns the link that was mailed */
export async function mailLink(
  visit: Visit,
  email: string,
  { purpose, path, introduction }: MailedLink,
): Promise<string> {
  const { deps } = visit;
  const link = requireAppUrl(visit) + path;
  const text = `${introduction}\n\n${link}\n\nThe link works once and expires in ${linkLifetime(purpose)}. If you didn't expect this email, ignore it.\n`;
  await sendMail(deps.config, deps.log, { to: email, subject: SUBJECTS[purpose], text });
  return link;
}

/** Looking at the link does not use it up: mail scanners open every address that they see. */
const link: Page = {
  path: '/sign-in/link/:token',
  access: 'public',
  async get(visit) {
    const found = await findLink(visit.deps.db, tokenOf(visit));
    if (found === undefined) return staleLink();
    // Pasted into the address bar, as the link that the operator's terminal prints is, it opens at once.
    const { 'sec-fetch-site': site, 'sec-fetch-user': byUser } = visit.req.headers;
    const isPasted = site === 'none' && byUser === '?1';
    return found.purpose === 'sign_in' && isPasted ? enter(visit) : linkPage(found);
  },
  actions: { default: enter },
};

async function enter(visit: Visit): Promise<Reply> {
  const { db } = visit.deps;
  const found = await findLink(db, tokenOf(visit));
  if (found === undefined) return staleLink();
  const password = visit.form.get('password') ?? '';
  let userId: string | undefined;
  try {
    if (found.purpose !== 'sign_in') requirePassword(password, found.email);
    userId = await followLink(visit, found, password);
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    if (error.code === 'password') return linkPage(found, error.message);
    if (error.code === 'user_company')
      return { ...narrowPage('This address is already in use', <p>{error.message}</p>), status: 409 };
    throw error;
  }
  if (userId === undefined) return staleLink();
  await startSession(visit, userId);
  return { redirect: safePath(visit.url.searchParams.get('next')) };
}

/** Whom a link signs in, with their new password; undefined when another request was faster. */
async function followLink(
  visit: Visit,
  { user_id, purpose, email }: Link,
  password: string,
): Promise<string | undefined> {
  const { db, resources } = visit.deps;
  const tokenHash = tokenOf(visit);
  if (user_id === null) return acceptInvitation(db, tokenHash, password);
  if (!(await useLink(resources.db, tokenHash))) return undefined;
  if (purpose !== 'sign_in') await changePassword(visit, user_id, email, password, null);
  return user_id;
}

/** A new password ends every session but the one that stays. */
export async function changePassword(
  { deps }: Visit,
  userId: string,
  email: string,
  password: string,
  stays: string | null,
): Promise<void> {
  const { db } = deps;
  await storePassword(deps.db, userId, password);
  await endSessions(db, userId, stays);
  await recordEvent(db, { id: userId, email }, 'password');
}

const tokenOf = ({ req }: Visit): Buffer => tokenHashOf(String(req.params.token));

function linkPage({ email, company, purpose }: Link, fault?: string): Reply {
  const titles: Record<LinkPurpose, string> = {
    sign_in: 'Sign in',
    reset: 'Set a new password',
    invite: `Join ${company} on Plat`,
  };
  const content = (
    <form method="post" class="stack">
      <p>
        {purpose === 'invite' ? 'You will sign in as' : 'You are'} <b>{email}</b>.
      </p>
      {purpose !== 'sign_in' && (
        <>
          <input type="hidden" name="email" autocomplete="username" value={email} />
          <NewPassword further=" A few words that do not belong together are good." error={fault} />
        </>
      )}
      <div class="buttons">
        <button type="submit">{purpose === 'sign_in' ? 'Sign in' : 'Set password and sign in'}</button>
      </div>
    </form>
  );
  return { ...narrowPage(titles[purpose], content), status: fault ? 400 : 200 };
}

function staleLink(): Reply {
  const content = (
    <p>
      Links work once. <a href="/sign-in">Sign in</a>, or have a new one sent.
    </p>
  );
  return { ...narrowPage('This link has been used or is too old', content), status: 404 };
}

const signOut: Page = {
  path: '/sign-out',
  access: 'public',
  actions: {
    async default(visit) {
      const { session, deps } = visit;
      if (session) await endSession(deps.db, session.user.id, session.id);
      forgetCookie(visit);
      return { redirect: '/' };
    },
  },
};

export const signInPages = [signIn, reset, link, signOut];
