import type { Db } from '../platform/db.ts';
import type { LinkPurpose } from './sign-in.ts';

export type Session = {
  id: string;
  user: { id: string; email: string; name: string; operator: boolean; hasPassword: boolean };
  company: { id: string; name: string };
  /**
   * The account shown on pages: the user's own, or else the company's oldest. Null if the company has none.
   */
  account: { id: string; name: string; own: boolean } | null;
};

export async function readSession(db: Db, tokenHash: Buffer): Promise<Session | undefined> {
  return (await db.run<Session>('accounts/read_session', { token_hash: tokenHash }))[0];
}

type NewSession = { tokenHash: Buffer; userId: string; browser: string };

export async function insertSession(db: Db, { tokenHash, userId, browser }: NewSession): Promise<void> {
  await db.run('accounts/insert_session', { token_hash: tokenHash, user_id: userId, browser });
}

/** Ends a session if it belongs to the user. */
export async function endSession(db: Db, userId: string, sessionId: string): Promise<void> {
  await db.run('accounts/end_session', { session_id: sessionId, user_id: userId });
}

/** @param kept the session to keep */
export async function endSessions(db: Db, userId: string, kept: string | null): Promise<void> {
  await db.run('accounts/end_sessions', { user_id: userId, kept_session_id: kept });
}

export type OpenSession = { id: string; user_agent: string; created_at: Date; seen_at: Date };

export const listSessions = (db: Db, userId: string): Promise<OpenSession[]> =>
  db.run<OpenSession>('accounts/list_sessions', { user_id: userId });

export async function findOpenSessions(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const open = await db.run<{ id: string }>('accounts/list_open_sessions', { session_ids: ids });
  return new Set(open.map(({ id }) => id));
}

export type StoredUser = { id: string; email: string; name: string; operator: boolean; hash: string | null };

export async function findByEmail(db: Db, email: string): Promise<StoredUser | undefined> {
  return (await db.run<StoredUser>('accounts/find_by_email', { address: email }))[0];
}

/** `user_id` is null for an invitation, because the user doesn't exist yet. */
export type Link = { user_id: string | null; email: string; company: string; purpose: LinkPurpose };

/** Finds a link without using it up. */
export async function findLink(db: Db, tokenHash: Buffer): Promise<Link | undefined> {
  return (await db.run<Link>('accounts/find_link', { token_hash: tokenHash }))[0];
}

/** Uses up a one-time link. Returns whether it was still valid. */
export async function useLink(db: Db, tokenHash: Buffer): Promise<boolean> {
  return (await db.run('accounts/use_link', { token_hash: tokenHash })).length > 0;
}

type Person = Pick<Session['user'], 'id' | 'email'>;

/** Records a user's action that isn't recorded in any other row. */
export async function recordEvent(db: Db, { id, email }: Person, what: string): Promise<void> {
  await db.run('accounts/record_event', { by: email, what, user_id: id });
}

export type Member = {
  id: string;
  email: string;
  name: string;
  has_password: boolean;
  seen_at: Date | null;
  operator: boolean;
  /** Whether the user owns an account. */
  owner: boolean;
};

export const listMembers = (db: Db, companyId: string): Promise<Member[]> =>
  db.run<Member>('accounts/list_members', { company_id: companyId });

export type OpenInvitation = { id: string; email: string; expires_at: Date };

export const listInvitations = (db: Db, companyId: string): Promise<OpenInvitation[]> =>
  db.run<OpenInvitation>('accounts/list_invitations', { company_id: companyId });

export type Grant = {
  id: string;
  /** A URL if the client publishes its own metadata. In that case, `name` and `redirect_uri` are null. */
  client_id: string;
  name: string | null;
  redirect_uri: string | null;
  read_only: boolean;
  created_at: Date;
  used_at: Date | null;
};

export const listGrants = (db: Db, accountId: string): Promise<Grant[]> =>
  db.run<Grant>('accounts/list_grants', { account_id: accountId });

export async function endGrant(db: Db, accountId: string, grantHash: string): Promise<boolean> {
  return (await db.run('accounts/end_grant', { account_id: accountId, grant_hash: grantHash })).length > 0;
}

export async function endGrantsOfClient(db: Db, accountId: string, clientId: string): Promise<void> {
  await db.run('accounts/end_grants_of_client', { account_id: accountId, client_id: clientId });
}

/** Whether the user owns the account. Waits for any ownership change in progress to finish. */
export async function isOwner(db: Db, accountId: string, userId: string): Promise<boolean> {
  return (await db.run('accounts/lock_owner', { account_id: accountId, user_id: userId })).length > 0;
}

/**
 * A stored response to a call with an idempotency key. `people` has suppression-list hashes of the people in
 * it.
 */
export type KeptAnswer = { body: Buffer; people: Buffer[] | null; created_at: Date };

/** The newest stored responses to a company's calls with these keys. */
export const listKeptAnswers = (
  db: Db,
  companyId: string,
  keys: readonly string[],
): Promise<(KeptAnswer & { key: string })[]> =>
  db.run('accounts/list_kept_answers', { company_id: companyId, keys });
