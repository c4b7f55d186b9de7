import { createKey, listKeys, revokeKey } from '../../../shared/accounts/accounts.ts';
import { cancelInvitations, invite } from '../../../shared/accounts/invitations.ts';
import { removeUser } from '../../../shared/accounts/remove-user.ts';
import { linkLifetime, requirePassword, verifyPassword } from '../../../shared/accounts/sign-in.ts';
import { SCOPES, type Scope } from '../../../shared/accounts/tiers.ts';
import { requireEmail } from '../../../shared/accounts/users.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { validationError } from '../../http/error-responses.ts';
import { createWebhook } from '../../v1/webhooks/webhook-endpoints.ts';
import { Notice, Secret } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import {
  accountOf,
  answerForm,
  callEndpoint,
  forgetCookie,
  ownAccount,
  type Session,
  type Visit,
} from '../frame/visit.ts';
import { assistantsSection } from './account-assistants.tsx';
import { changesSection } from './account-changes.tsx';
import { keysSection } from './account-keys.tsx';
import {
  type Invitation,
  type Member,
  managesTeam,
  type OpenSession,
  Password,
  Sessions,
  Team,
} from './account-people.tsx';
import { KeyUsage, readAccountUsage, Terms, UsageByDay } from './account-usage.tsx';
import { refusedWebhook, type Sent, webhooksSection } from './account-webhooks.tsx';
import { countAttempt, INVITATION_LIMIT } from './sign-in-attempts.ts';
import { changePassword, mailLink, requireAppUrl } from './sign-in-page.tsx';
import { webhookOf } from './webhook-page.tsx';

/**
 * What a form did: a message at the head of the page, and a key or a link, which is shown this once; `sent`:
 * a webhook's form that was refused.
 */
type Done = { good?: string; bad?: string; secret?: string; sent?: Sent };

export const accountPage: Page = {
  path: '/account',
  access: 'session',
  get: visit => show(visit, {}),
  async post(visit) {
    const name = visit.form.get('do') ?? '';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) throw new PlatError('validation_error', 'The form is not known.');
    return answerForm(
      async () => {
        const done = await action(visit, visit.session!);
        return 'redirect' in done ? done : show(visit, done);
      },
      (bad, faults) => show(visit, name === 'add webhook' ? refusedWebhook(visit, bad, faults) : { bad }),
    );
  },
};

/** @throws PlatError `forbidden` to colleagues of the owner, and to everyone whose account is disabled */
async function requireManager(visit: Visit): Promise<Session> {
  const session = visit.session!;
  if (!managesTeam(session))
    throw new PlatError('forbidden', "Only the account's owner can invite and remove people.");
  if (session.account !== null && (await accountOf(visit)) === undefined)
    throw new PlatError('forbidden', 'Your account is disabled. Ask the operator to enable it.');
  return session;
}

/** The id that a button sends. @throws PlatError `validation_error` */
function idOf({ form }: Visit, what: string): string {
  const id = form.get('id') ?? '';
  if (!UUID.test(id)) throw validationError({ id: [`must be the id of ${what}`] });
  return id;
}

type Action = (visit: Visit, session: Session) => Promise<Done | { redirect: string }>;

const ACTIONS: Record<string, Action> = {
  async 'create key'(visit, session) {
    const account = ownAccount(session);
    const scopes = SCOPES.filter(scope => visit.form.getAll('scope').includes(scope)) as Scope[];
    const expires = visit.form.get('expires');
    const expiresAt = expires ? new Date(`${expires}T23:59:59.999Z`) : undefined;
    if (expiresAt !== undefined && !(expiresAt.getTime() > Date.now()))
      throw new PlatError('key_expiry', 'The last day of the key must be ahead.');
    const { key } = await createKey(visit.deps.pool, account.id, {
      name: visit.form.get('name') ?? '',
      scopes,
      ...(expiresAt && { expiresAt }),
      actor: session.user.email,
    });
    return { good: 'The key is made. Copy it now: it is not shown again.', secret: key };
  },
  async 'revoke key'(visit, session) {
    const account = ownAccount(session);
    const id = visit.form.get('id') ?? '';
    const isOwnKey = (await listKeys(visit.deps.pool, account.id)).some(key => key.id === id);
    if (!isOwnKey) throw new PlatError('key_unknown', 'There is no such key.');
    const { name } = await revokeKey(visit.deps.pool, id, session.user.email);
    return { good: `Key ${name} is revoked.` };
  },
  async 'add webhook'(visit, session) {
    ownAccount(session);
    const body = await webhookOf(visit);
    const { secret } = await callEndpoint<{ secret: string }>(visit, createWebhook, { body });
    return { good: 'The webhook is there. Copy its secret now: it is not shown again.', secret };
  },
  async 'end assistant'(visit, session) {
    const { database } = visit.deps.resources;
    const id = visit.form.get('id') ?? '';
    // A hash of 32 bytes.
    if (!/^[0-9a-f]{64}$/.test(id)) throw validationError({ id: ['must be the id of an assistant'] });
    const ended = await database.run('accounts/end_grant', {
      account_id: ownAccount(session).id,
      grant_hash: id,
    });
    if (ended.length === 0) throw new PlatError('grant_unknown', 'This assistant has no access any more.');
    await recordEvent(visit, session, 'end_assistant');
    return { good: 'The assistant has no access any more.' };
  },
  async invite(visit) {
    const { user, company } = await requireManager(visit);
    const email = requireEmail((visit.form.get('email') ?? '').trim());
    requireAppUrl(visit);
    await countAttempt(`invite:${company.id}`, visit.deps, INVITATION_LIMIT);
    const path = await invite(visit.deps.pool, { companyId: company.id, email, actor: user.email });
    const introduction = `${user.name || user.email} invited you to ${company.name} on Plat.`;
    const link = await mailLink(visit, email, { purpose: 'invite', path, introduction });
    if (visit.deps.config.SMTP_URL !== undefined) return { good: `Invitation sent to ${email}.` };
    const good = `Email isn't set up (SMTP_URL). Send this link to ${email} yourself. It works once and expires in ${linkLifetime('invite')}.`;
    return { good, secret: link };
  },
  async 'cancel invitation'(visit) {
    const { user, company } = await requireManager(visit);
    const invitation = { id: idOf(visit, 'an invitation'), companyId: company.id };
    const [email] = await cancelInvitations(visit.deps.pool, invitation, user.email);
    if (email === undefined)
      throw new PlatError('invitation_unknown', 'This invitation was accepted, canceled, or has expired.');
    return { good: `Invitation to ${email} canceled. Its link no longer works.` };
  },
  async 'remove person'(visit) {
    const { user, company } = await requireManager(visit);
    const id = idOf(visit, 'a person');
    if (id === user.id)
      throw new PlatError('user_owner', "You can't remove yourself. Ask another owner or an operator.");
    const { email } = await removeUser(visit.deps.pool, { id, actor: user.email, companyId: company.id });
    return { good: `${email} was removed from ${company.name} and signed out everywhere.` };
  },
  async password(visit, session) {
    const { user } = session;
    await countAttempt(`password:${user.id}`, visit.deps);
    const [stored] = await visit.deps.resources.database.run<{ hash: string | null }>(
      'accounts/find_by_email',
      { address: user.email },
    );
    if (user.hasPassword && !(await verifyPassword(stored?.hash, visit.form.get('current') ?? '')))
      throw new PlatError('password', 'The current password is wrong.');
    const password = requirePassword(visit.form.get('password') ?? '', user.email);
    await changePassword(visit, user.id, user.email, password, session.id);
    return { good: 'The password is set. Your other sessions have been signed out.' };
  },
  async 'end session'(visit, session) {
    await visit.deps.resources.database.run('accounts/end_session', {
      session_id: idOf(visit, 'a session'),
      user_id: session.user.id,
    });
    await recordEvent(visit, session, 'end_session');
    return { good: 'The session is signed out.' };
  },
  async 'end sessions'(visit, session) {
    await visit.deps.resources.database.run('accounts/end_sessions', {
      user_id: session.user.id,
      kept_session_id: null,
    });
    await recordEvent(visit, session, 'end_sessions');
    forgetCookie(visit);
    return { redirect: '/sign-in' };
  },
};

function recordEvent({ deps }: Visit, { user }: Session, what: string): Promise<unknown> {
  return deps.resources.database.run('accounts/record_event', { by: user.email, what, user_id: user.id });
}

async function show(visit: Visit, done: Done) {
  const session = visit.session!;
  const { database } = visit.deps.resources;
  const [members, invitations, sessions] = await Promise.all([
    database.run<Member>('accounts/list_members', { company_id: session.company.id }),
    database.run<Invitation>('accounts/list_invitations', { company_id: session.company.id }),
    database.run<OpenSession>('accounts/list_sessions', { user_id: session.user.id }),
  ]);
  const { account, user } = session;
  const usage = account && (await readAccountUsage(visit));
  const body = (
    <>
      <header class="pagehead">
        <div>
          <h1>Account</h1>
          <p>{[user.name, user.email, account?.name].filter(Boolean).join(' · ')}</p>
        </div>
      </header>
      {done.bad && <Notice kind="bad">{done.bad}</Notice>}
      {done.good && <Notice kind="good">{done.good}</Notice>}
      {done.secret && <Secret text={done.secret} />}
      {account === null && <Notice>You are in {session.company.name}, which has no account.</Notice>}
      {account !== null && usage === undefined && (
        <Notice kind="bad">
          The account has no active Pro subscription: the app and the API are closed to it.
        </Notice>
      )}
      {usage && <KeyUsage usage={usage} />}
      <div class="two account">
        <div class="stack">
          {usage && <UsageByDay usage={usage} />}
          {account && (await keysSection(visit, account))}
          {account && (await assistantsSection(visit, account))}
          {account && (await webhooksSection(visit, account, done.sent))}
          {account?.own && (await changesSection(visit, account.id))}
        </div>
        <aside class="stack" aria-label="You and your company">
          <Team members={members} invitations={invitations} session={session} />
          <Sessions sessions={sessions} own={session.id} />
          <Password session={session} />
          {usage && <Terms usage={usage} />}
        </aside>
      </div>
    </>
  );
  return { title: 'Account', body, assetNames: ['cards.css'] };
}
