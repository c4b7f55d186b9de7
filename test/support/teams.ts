import { expect } from 'vitest';
import { invite } from '../../shared/accounts/invitations.ts';
import { findUser } from '../../shared/accounts/users.ts';
import type { TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';
import { type newUser, visitor } from './visitor.ts';

type User = Awaited<ReturnType<typeof newUser>>;

export const PASSWORD = 'some words of my own';

let people = 0;
export const newAddress = () => `person${++people}@people.example`;

/** Companies with their users and invitations, on one service. */
export function openTeams(db: TestDatabase, api: TestApi) {
  const rows = async (text: string, value: string) => (await db.pool.query(text, [value])).rows;

  async function companyOf({ id }: Pick<User, 'id'>): Promise<{ id: string; name: string }> {
    const [company] = await rows(
      'select c.id, c.name from companies c join users u on u.company_id = c.id where u.id = $1',
      id,
    );
    return company;
  }

  /** Invites an address and returns the link's path. */
  async function linkFrom(owner: User, email: string): Promise<string> {
    return invite(db.pool, { companyId: (await companyOf(owner)).id, email, actor: owner.email });
  }

  async function signedIn(user: { email: string; password: string }) {
    const browser = visitor(api);
    await browser.signIn(user);
    return browser;
  }

  /** Adds a colleague of an owner, who accepts an invitation. */
  async function newColleague(owner: User) {
    const email = newAddress();
    const browser = visitor(api);
    const entered = await browser.submit(await linkFrom(owner, email), { password: PASSWORD });
    expect(entered.status).toBe(303);
    return { ...(await findUser(db.pool, email)), password: PASSWORD, browser };
  }

  /** The companies that have a user with this address: one or none. */
  const usersAt = async (email: string): Promise<string[]> =>
    (await rows('select company_id from users where lower(email) = $1', email)).map(row => row.company_id);

  const invitationsOf = async (user: User): Promise<{ id: string; email: string }[]> =>
    rows('select id, email from invitations where company_id = $1', (await companyOf(user)).id);

  return { companyOf, linkFrom, signedIn, newColleague, usersAt, invitationsOf };
}
