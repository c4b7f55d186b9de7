import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import { requireKnownOrNewName, requireName } from './account-names.ts';

export type Membership = { id: string; company_id: string; user_id: string | null };

export type MembershipChange = {
  company?: string;
  /** An email address, or null for no owner. */
  user?: string | null;
  userName?: string;
};

/** Distinguishes an email address from a name. SMTP allows up to 254 characters (RFC 5321). */
const EMAIL = /^(?=.{1,254}$)[^\s\p{Cc}@<>,;:()"\\]+@[^\s\p{Cc}@<>,;:()"\\]+$/u;

export function requireEmail(text: string): string {
  if (EMAIL.test(text)) return text;
  throw new PlatError('user_email', `"${text}" is not an email address. Enter one such as ana@acme.example.`);
}

export function userOfOtherCompanyError(email: string): PlatError {
  return new PlatError(
    'user_company',
    `${email} belongs to another company. All accounts of a user are in one company. Use theirs (--company), or another user.`,
  );
}

/**
 * Finds or creates the company and user for an account. If the account moves to another company, so does the
 * user, unless they have other accounts. @throws PlatError `user_company`, `user_email`, `account_change`,
 * `name`
 */
export async function changeMembership(
  db: Db,
  account: Membership,
  change: MembershipChange,
): Promise<Partial<Membership>> {
  const company =
    change.company === undefined ? undefined : await requireKnownOrNewName(db, 'company', change.company);
  const userName = change.userName === undefined ? undefined : requireName('user', change.userName);
  const company_id = company === undefined ? account.company_id : await joinCompany(db, company);
  const user_id = await userOf(db, { ...account, company_id }, change.user, userName);
  if (user_id !== null && user_id === account.user_id && company_id !== account.company_id)
    await moveUser(db, account, company_id);
  return {
    ...(company_id === account.company_id ? {} : { company_id }),
    ...(user_id === account.user_id ? {} : { user_id }),
  };
}

async function userOf(
  db: Db,
  account: Membership,
  email: string | null | undefined,
  name: string | undefined,
): Promise<string | null> {
  if (typeof email === 'string') {
    const values = { company_id: account.company_id, address: requireEmail(email), name: name ?? null };
    const rows = await db.run<Membership>('accounts/join_user', values);
    const { id, company_id } = rows[0]!;
    if (id !== account.user_id && company_id !== account.company_id) throw userOfOtherCompanyError(email);
    return id;
  }
  const id = email === null ? null : account.user_id;
  if (name === undefined) return id;
  if (id === null) throw new PlatError('account_change', 'The account has no user. Set one with --user.');
  await db.run('accounts/rename_user', { user_id: id, name });
  return id;
}

async function moveUser(db: Db, account: Membership, companyId: string): Promise<void> {
  const values = { user_id: account.user_id, company_id: companyId, account_id: account.id };
  const rows = await db.run('accounts/move_user', values);
  if (rows.length === 0)
    throw new PlatError(
      'user_company',
      "The account's user has other accounts, which would stay in the old company. Set another user (--user), or none.",
    );
}

export async function joinCompany(db: Db, name: string): Promise<string> {
  const rows = await db.run<{ id: string }>('accounts/join_company', { name });
  return rows[0]!.id;
}

export type UserAddress = { id: string; email: string };

/** Creates a user. Returns undefined if the address already belongs to one. @throws PlatError `user_email` */
export async function createUser(
  db: Db,
  { companyId, email, name = '', operator = false, actor }: NewUser,
): Promise<UserAddress | undefined> {
  const values = { company_id: companyId, email: requireEmail(email), name, operator, by: actor };
  const rows = await db.run<{ id: string }>('accounts/insert_user', values);
  return rows[0] && { id: rows[0].id, email };
}

export type NewUser = {
  companyId: string;
  email: string;
  name?: string;
  /** Whether the user can see and manage the whole installation. */
  operator?: boolean;
  /** The person creating or inviting the user, for the audit table. */
  actor: string;
};

export type UserSummary = {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  company: string;
  account: string | null;
  has_password: boolean;
  seen_at: Date | null;
  created_at: Date;
};

export async function listUsers(db: Db): Promise<UserSummary[]> {
  return db.run<UserSummary>('accounts/list_users');
}

export async function findUser(db: Db, email: string): Promise<UserAddress> {
  const rows = await db.run<UserAddress>('accounts/find_by_email', { address: email });
  if (rows[0] === undefined)
    throw new PlatError('user_unknown', `There is no user ${email}. \`plat user list\` lists all users.`);
  return rows[0];
}
