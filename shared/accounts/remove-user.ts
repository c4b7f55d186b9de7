import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';

export type Removal = {
  id?: string;
  email?: string;
  /** The person removing the user, for the audit table. */
  actor: string;
  /** If set, only users of this company who aren't operators can be removed. Operators omit it. */
  companyId?: string;
};

export type StoredUser = {
  id: string;
  email: string;
  company_id: string;
  company: string;
  operator: boolean;
  /** An account that the user owns, or null. */
  account: string | null;
  /** The account that takes over their deals. Null if the company has no accounts. */
  heir_id: string | null;
  /** False only for users created at invitation time by an earlier release who have not accepted yet. */
  signed_in: boolean;
  has_deals: boolean;
};

/**
 * Removes a person. The transaction ends their sessions, links, and search emails, and cancels all
 * invitations to their address or sent by them. Lists, searches, exports, reports, deals, and keys stay with
 * the company.
 * @throws PlatError `user_unknown`; `user_owner` if they own an account; `user_deals` if no account can take
 * over their deals; `forbidden` for an operator
 */
export function removeUser(db: Db, { id, email, actor, companyId }: Removal): Promise<StoredUser> {
  return db.transaction(async tx => {
    // Lock invitations before the user, in the same order as when an invitation is accepted.
    await tx.run('accounts/end_invitations_with', { id: id ?? null, email: email ?? null, by: actor });
    const user = await lockUser(tx, { id, email, actor });
    if (user === undefined || (companyId !== undefined && user.company_id !== companyId))
      throw new PlatError('user_unknown', `There is no user ${email ?? 'with this id'}.`);
    if (companyId !== undefined && user.operator)
      throw new PlatError('forbidden', `${user.email} is an operator. Only operators can remove operators.`);
    if (user.account !== null)
      throw new PlatError(
        'user_owner',
        `${user.email} owns the account ${user.account}. An operator has to set another owner first: plat account set ${JSON.stringify(user.account)} --user <email>`,
      );
    await deleteUser(tx, user);
    return user;
  });
}

type Locked = { id?: string | undefined; email?: string | undefined; actor: string };

/** Locks a user until the transaction ends, so that they can't sign in in the meantime. */
export async function lockUser(db: Db, { id, email, actor }: Locked): Promise<StoredUser | undefined> {
  const values = { id: id ?? null, email: email ?? null, by: actor };
  const [locked] = await db.run<{ id: string }>('accounts/lock_user', values);
  // This is a separate statement, so that it sees what was committed during the wait for the lock.
  return locked && (await db.run<StoredUser>('accounts/describe_user', { id: locked.id }))[0];
}

/** Deletes a locked user who owns no account. */
export async function deleteUser(db: Db, user: StoredUser): Promise<void> {
  if (user.heir_id !== null) await handOverDeals(db, user.id, user.heir_id);
  else if (user.has_deals)
    throw new PlatError(
      'user_deals',
      `${user.email} has deals, and ${user.company} has no account to hand them to. Create one first: plat account create <name> --company ${JSON.stringify(user.company)}`,
    );
  await db.run('accounts/delete_user', { user_id: user.id });
}

async function handOverDeals(db: Db, userId: string, accountId: string): Promise<void> {
  const boardOf = async (owner: string | null) =>
    (await db.run<{ id: string }>('deals/find_board', { account_id: accountId, user_id: owner }))[0];
  const from = await boardOf(userId);
  if (from === undefined) return;
  await db.run('deals/add_board', { account_id: accountId, user_id: null });
  const to = (await boardOf(null))!;
  for (const board of [from.id, to.id].toSorted()) await db.run('deals/lock_board', { board_id: board });
  await db.run('deals/hand_over_deals', { from_board: from.id, to_board: to.id });
}
