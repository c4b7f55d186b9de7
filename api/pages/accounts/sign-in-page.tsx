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
import { mailProblem } from '../parts/mail-problem.ts';
import { NewPassword } from './account-people.tsx';
import { countSignIn, rememberDevice } from './sign-in-attempts.ts';

const WRONG_PASSWORD = 'Wrong email or password. You can also sign in with an emailed link.';

const signIn: Page = {
  path: '/sign-in',
  access: 'public',
  get: visit => {
    const next = safePath(visit.url.searchParams.get('next'));
    return visit.session ? { redirect: next } : signInPage(visit, next);
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
    return signInPage(visit, next, email, WRONG_PASSWORD);
  await startSession(visit, user!.id);
  return { redirect: next };
}

async function startSession(visit: Visit, userId: string): Promise<void> {
  await openSession(visit, userId);
  await rememberDevice(visit, userId);
}

const Address = ({ value }: { value?: string }) => (
  <Field label="Email" name="email" type="email" autocomplete="username" required value={value} />
);

/** Says before the user relies on an email that it won't arrive. */
function MailProblem({ visit }: { visit: Visit }) {
  const problem = mailProblem(visit);
  if (problem === undefined) return null;
  return (
    <Notice kind="warn">
      {problem} To get a link, ask the operator, who runs <code>npx plat user link</code> with your address.
    </Notice>
  );
}

function signInPage(visit: Visit, next: string, email = '', fault?: string): Reply {
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
            Email me a sign-in link
          </button>
        </div>
      </form>
      <MailProblem visit={visit} />
      <p>
        <small>
          <a href="/sign-in/reset">Forgot password?</a>
        </small>
      </p>
    </>
  );
  return { ...narrowPage('Sign in', content), status: fault ? 401 : 200 };
}

const reset: Page = {
  path: '/sign-in/reset',
  access: 'public',
  get: visit =>
    narrowPage(
      'Set a new password',
      <>
        <MailProblem visit={visit} />
        <p>We'll email you a link to set a new password.</p>
        <form method="post" action="/sign-in/reset" class="stack">
          <Address />
          <div class="buttons">
            <button type="submit">Email me a link</button>
          </div>
        </form>
        <p>
          <small>
            <a href="/sign-in">Back to sign-in</a>
          </small>
        </p>
      </>,
    ),
  actions: { default: visit => sendLink(visit, emailOf(visit), 'reset') },
};

const SUBJECTS: Record<LinkPurpose, string> = {
  sign_in: 'Your sign-in link for Plat',
  reset: 'Set a new password for Plat',
  invite: "You're invited to Plat",
};

const INTRODUCTIONS = {
  sign_in: 'Use this link to sign in to Plat:',
  reset: 'Use this link to set a new password for Plat:',
};

/**
 * The base URL for emailed links. A request's own host can't be trusted for it.
 * @throws PlatError `unprocessable` if it is not configured
 */
export function requireAppUrl({ appUrl }: Visit): string {
  if (appUrl !== '') return appUrl;
  throw new PlatError(
    'unprocessable',
    "Plat can't send email until its operator sets BASE_URL. The operator can also create a link with `plat user link`.",
  );
}

/**
 * Responds the same way and just as fast whether or not the address has an account, because the email is sent
 * in the background.
 */
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
  mailing.catch(error => deps.log.error({ err: error }, 'an email with a link was not sent'));
  const content = (
    <>
      <MailProblem visit={visit} />
      <p>
        If <b>{email}</b> has an account, we've emailed a link. It works once and expires in{' '}
        {linkLifetime(purpose)}.
      </p>
      <p>
        <a href="/sign-in">Back to sign-in</a>
      </p>
    </>
  );
  return narrowPage('Check your email', content);
}

type MailedLink = { purpose: LinkPurpose; path: string; introduction: string };

/** @returns the emailed link */
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

/** Opening the link doesn't use it up, because mail scanners open every URL that they see. */
const link: Page = {
  path: '/sign-in/link/:token',
  access: 'public',
  async get(visit) {
    const found = await findLink(visit.deps.db, tokenOf(visit));
    if (found === undefined) return staleLink();
    // A link pasted into the address bar, such as the one from `npm start`, signs the user in right away.
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
      return { ...narrowPage('This email is already in use', <p>{error.message}</p>), status: 409 };
    throw error;
  }
  if (userId === undefined) return staleLink();
  await startSession(visit, userId);
  return { redirect: safePath(visit.url.searchParams.get('next')) };
}

/** Uses up the link and returns its user, or undefined if another request used it first. */
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

/** A new password ends every session except the one in `stays`. */
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
        {purpose === 'invite' ? "You'll sign in as" : 'You are signing in as'} <b>{email}</b>.
      </p>
      {purpose !== 'sign_in' && (
        <>
          <input type="hidden" name="email" autocomplete="username" value={email} />
          <NewPassword further=" Several unrelated words work well." error={fault} />
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
      A link works once. Signing in with one link cancels your other links. <a href="/sign-in">Sign in</a>, or
      request a new link there.
    </p>
  );
  return { ...narrowPage('This link was already used or has expired', content), status: 404 };
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
