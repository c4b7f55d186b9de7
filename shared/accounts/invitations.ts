import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import { deleteUser, lockUser } from './remove-user.ts';
import { LINK_MINUTES, newToken, storePassword } from './sign-in.ts';
import { type NewUser, requireEmail } from './users.ts';

export const MAX_INVITATIONS = 100;

/**
 * Invites an address to a company. The user is created only when the invitation is accepted, so the address
 * may belong to a user in another company. @returns the path of the link
 * @throws PlatError `user_email`; `user_exists` if the user is already in the company; `too_many_invitations`
 */
export function invite(
  db: Db,
  { companyId, email, name = '', operator = false, actor }: NewUser,
): Promise<string> {
  const address = { company_id: companyId, email: requireEmail(email) };
  const { token, tokenHash } = newToken();
  return db.transaction(async tx => {
    await tx.run('accounts/lock_company', { company_id: companyId });
    const [found] = await tx.run<{ isMember: boolean; open: number }>('accounts/describe_invited', address);
    if (found!.isMember) throw new PlatError('user_exists', `${email} is already on the team.`);
    if (found!.open >= MAX_INVITATIONS)
      throw new PlatError(
        'too_many_invitations',
        `You have ${MAX_INVITATIONS} open invitations. Cancel some of them, or wait until they expire.`,
      );
    await tx.run('accounts/save_invitation', {
      ...address,
      name,
      operator,
      by: actor,
      token_hash: tokenHash,
      minutes: LINK_MINUTES.invite,
    });
    return `/sign-in/link/${token}`;
  });
}

/**
 * Creates the invited user with a password. Returns the user id, or undefined if the invitation is no longer
 * open. An invitation that cannot be accepted stays open.
 * @throws PlatError `user_company` if the address belongs to another user
 */
export function acceptInvitation(db: Db, tokenHash: Buffer, password: string): Promise<string | undefined> {
  return db.transaction(async tx => {
    const [invited] = await tx.run<Invited>('accounts/take_invitation', { token_hash: tokenHash });
    if (invited === undefined) return undefined;
    const userId = await addInvited(tx, invited);
    // Do this in the same transaction, so that the user never exists without a password.
    await storePassword(tx, userId, password);
    return userId;
  });
}

type Invited = { company_id: string; email: string; name: string; operator: boolean };

async function addInvited(db: Db, invited: Invited): Promise<string> {
  const { email, company_id } = invited;
  const user = await lockUser(db, { email, actor: email });
  if (user?.signed_in || user?.operator || typeof user?.account === 'string') throw knownAddressError(email);
  // An earlier release created this user with an invitation that was never accepted.
  if (user?.company_id === company_id) return user.id;
  if (user !== undefined) await deleteUser(db, user);
  const [added] = await db.run<{ id: string }>('accounts/insert_user', { ...invited, by: email });
  if (added === undefined) throw knownAddressError(email);
  return added.id;
}

const knownAddressError = (email: string): PlatError =>
  new PlatError(
    'user_company',
    `${email} already has a Plat account, and an email can belong to only one company. To change companies, ask the owner of your current one to remove you, then open this link again.`,
  );

type Canceled = { id: string; companyId: string } | { email: string };

/**
 * Cancels one of a company's invitations, or all invitations to an address.
 * @returns the address of each canceled invitation
 */
export async function cancelInvitations(db: Db, which: Canceled, actor: string): Promise<string[]> {
  const values =
    'id' in which
      ? { id: which.id, company_id: which.companyId, email: null }
      : { id: null, company_id: null, email: which.email };
  const rows = await db.run<{ email: string }>('accounts/cancel_invitations', { ...values, by: actor });
  return rows.map(({ email }) => email);
}
