import {
  endGrant,
  endSession,
  endSessions,
  findByEmail,
  recordEvent,
  type Session,
} from '../../../shared/accounts/account-statements.ts';
import { cancelInvitations, invite } from '../../../shared/accounts/invitations.ts';
import { removeUser } from '../../../shared/accounts/remove-user.ts';
import { linkLifetime, requirePassword, verifyPassword } from '../../../shared/accounts/sign-in.ts';
import { requireEmail } from '../../../shared/accounts/users.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { validationError } from '../../http/error-responses.ts';
import { createWebhook } from '../../v1/webhooks/webhook-endpoints.ts';
import type { Action } from '../frame/forms.ts';
import { accountOf, callEndpoint, forgetCookie, ownAccount, type Visit } from '../frame/visit.ts';
import { mailProblem } from '../parts/mail-problem.ts';
import { managesTeam } from './account-people.tsx';
import { keyActions } from './key-actions.ts';
import { countAttempt, INVITATION_LIMIT } from './sign-in-attempts.ts';
import { changePassword, mailLink, requireAppUrl } from './sign-in-page.tsx';
import { webhookOf } from './webhook-page.tsx';

/** @throws PlatError `forbidden` unless the user can manage the company */
export async function requireManager(visit: Visit): Promise<Session> {
  const session = visit.session!;
  if (!managesTeam(session))
    throw new PlatError('forbidden', "Only the account's owner can invite and remove people.");
  if (session.account !== null && (await accountOf(visit)) === undefined)
    throw new PlatError('forbidden', 'Your account is disabled. Ask the operator to enable it.');
  return session;
}

/** The id sent by a button. @throws PlatError `validation_error` */
function idOf({ form }: Visit, what: string): string {
  const id = form.get('id') ?? '';
  if (!UUID.test(id)) throw validationError({ id: [`must be the id of ${what}`] });
  return id;
}

export const accountActions: Record<string, Action> = {
  ...keyActions,
  async 'add webhook'(visit) {
    const session = visit.session!;
    ownAccount(session);
    const body = await webhookOf(visit);
    const { secret } = await callEndpoint<{ secret: string }>(visit, createWebhook, { body });
    return { good: "Webhook created. Copy its secret now. You won't see it again.", secret };
  },
  async 'end assistant'(visit) {
    const session = visit.session!;
    const { db } = visit.deps;
    const id = visit.form.get('id') ?? '';
    // The id is a 32-byte hash.
    if (!/^[0-9a-f]{64}$/.test(id)) throw validationError({ id: ['must be the id of an assistant'] });
    if (!(await endGrant(db, ownAccount(session).id, id)))
      throw new PlatError('grant_unknown', 'This assistant no longer has access.');
    await recordEvent(db, session.user, 'end_assistant');
    return { good: 'Assistant disconnected.' };
  },
  async invite(visit) {
    const { user, company } = await requireManager(visit);
    const email = requireEmail((visit.form.get('email') ?? '').trim());
    requireAppUrl(visit);
    await countAttempt(`invite:${company.id}`, visit.deps, INVITATION_LIMIT);
    const path = await invite(visit.deps.db, { companyId: company.id, email, actor: user.email });
    const introduction = `${user.name || user.email} invited you to ${company.name} on Plat.`;
    const link = await mailLink(visit, email, { purpose: 'invite', path, introduction });
    const problem = mailProblem(visit);
    if (problem === undefined) return { good: `Invitation sent to ${email}.` };
    const good = `${problem} Send this link to ${email} yourself. It works once and expires in ${linkLifetime('invite')}.`;
    return { good, secret: link };
  },
  async 'cancel invitation'(visit) {
    const { user, company } = await requireManager(visit);
    const invitation = { id: idOf(visit, 'an invitation'), companyId: company.id };
    const [email] = await cancelInvitations(visit.deps.db, invitation, user.email);
    if (email === undefined)
      throw new PlatError('invitation_unknown', 'This invitation was accepted, canceled, or has expired.');
    return { good: `Invitation to ${email} canceled. Its link no longer works.` };
  },
  async 'remove person'(visit) {
    const { user, company } = await requireManager(visit);
    const id = idOf(visit, 'a person');
    if (id === user.id)
      throw new PlatError('user_owner', "You can't remove yourself. Ask another owner or an operator.");
    const { email } = await removeUser(visit.deps.db, { id, actor: user.email, companyId: company.id });
    return { good: `${email} was removed from ${company.name} and signed out everywhere.` };
  },
  async password(visit) {
    const session = visit.session!;
    const { user } = session;
    await countAttempt(`password:${user.id}`, visit.deps);
    const stored = await findByEmail(visit.deps.db, user.email);
    if (user.hasPassword && !(await verifyPassword(stored?.hash, visit.form.get('current') ?? '')))
      throw new PlatError('password', 'Your current password is incorrect.');
    const password = requirePassword(visit.form.get('password') ?? '', user.email);
    await changePassword(visit, user.id, user.email, password, session.id);
    return { good: 'Password saved. Your other sessions were signed out.' };
  },
  async 'end session'(visit) {
    const { db } = visit.deps;
    const { user } = visit.session!;
    await endSession(db, user.id, idOf(visit, 'a session'));
    await recordEvent(db, user, 'end_session');
    return { good: 'Session signed out.' };
  },
  async 'end sessions'(visit) {
    const { db } = visit.deps;
    const { user } = visit.session!;
    await endSessions(db, user.id, null);
    await recordEvent(db, user, 'end_sessions');
    forgetCookie(visit);
    return { redirect: '/sign-in' };
  },
};
