import { describe, expect, test } from 'vitest';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { cancelInvitations, MAX_INVITATIONS } from '../../shared/accounts/invitations.ts';
import { createLink } from '../../shared/accounts/sign-in.ts';
import { createUser } from '../../shared/accounts/users.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { newAddress, openTeams, PASSWORD } from '../support/teams.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const env = { PLAT_DIR: db.folder };
const api = await startTestApi(db, { pages: true, env });
/** A second process behind the same address. */
const other = await startTestApi(db, { pages: true, env });
const cli = commandsOn(db);
const { companyOf, linkFrom, signedIn, newColleague, usersAt, invitationsOf } = openTeams(db, api);

describe('an invitation', () => {
  test('reads the same whether or not the address is known, and takes the user from nobody', async () => {
    const [ours, theirs] = [await newUser(db), await newUser(db)];
    const ana = await signedIn(ours);
    const known = (await newColleague(theirs)).email;
    const unknown = newAddress();
    const shownFor = async (email: string) => {
      const { status, text } = await ana.submit('/account', { do: 'invite', email });
      const page = text.slice(0, text.indexOf('<div class="two account"')).replaceAll(email, '@');
      return [status, page.replaceAll(/[\w-]{43}/g, 'TOKEN')];
    };
    expect(await shownFor(known)).toEqual(await shownFor(unknown));
    expect(await usersAt(unknown)).toEqual([]);
    expect(await usersAt(known)).toEqual([(await companyOf(theirs)).id]);
    expect((await invitationsOf(ours)).map(({ email }) => email).toSorted()).toEqual(
      [known, unknown].toSorted(),
    );
    // A colleague's address is no secret to them.
    const member = (await newColleague(ours)).email;
    expect((await ana.submit('/account', { do: 'invite', email: member })).status).toBe(400);
  });

  test('accepted first wins over those of other companies, which see no difference', async () => {
    const [first, second] = [await newUser(db), await newUser(db)];
    const email = newAddress();
    const links = [await linkFrom(first, email), await linkFrom(second, email.toUpperCase())];
    // Whichever commits first.
    const accepted = await Promise.all(
      links.map((link, i) => visitor(i === 0 ? api : other).submit(link, { password: PASSWORD })),
    );
    expect(accepted.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const winner = accepted[0]!.status === 303 ? first : second;
    const loser = winner === first ? second : first;
    const { rows } = await db.pool.query('select company_id from users where lower(email) = $1', [email]);
    expect(rows).toEqual([{ company_id: (await companyOf(winner)).id }]);
    expect(await invitationsOf(winner)).toEqual([]);
    expect(await invitationsOf(loser)).toHaveLength(1);
    expect((await (await signedIn(loser)).open('/account')).text.toLowerCase()).toContain(email);
    // The password of the one stays as it is.
    const again = await visitor(api).submit(links[winner === first ? 1 : 0]!, {
      password: 'words of another',
    });
    expect(again.status).toBe(409);
    const signed = await visitor(api).submit('/sign-in', { email, password: PASSWORD, how: 'password' });
    expect(signed.status).toBe(303);
  });

  test('succeeds for only one of two companies when both are accepted at once', async () => {
    const [first, second] = [await newUser(db), await newUser(db)];
    for (let round = 0; round < 10; round++) {
      const email = newAddress();
      const links = [await linkFrom(first, email), await linkFrom(second, email)];
      const accepted = await Promise.all(
        links.map((link, i) => visitor(i === 0 ? api : other).submit(link, { password: PASSWORD })),
      );
      expect(accepted.map(({ status }) => status).toSorted()).toEqual([303, 409]);
      expect(await usersAt(email)).toHaveLength(1);
    }
  });

  test('is canceled, replaced, and expires', async () => {
    const owner = await newUser(db);
    const ana = await signedIn(owner);
    const email = newAddress();
    const stale = await linkFrom(owner, email);
    const link = await linkFrom(owner, email);
    expect((await visitor(api).open(stale)).status).toBe(404);
    expect((await visitor(api).open(link)).status).toBe(200);
    const { id } = (await invitationsOf(owner))[0]!;
    expect((await ana.open('/account')).text).toContain(id);
    expect((await ana.submit('/account', { do: 'cancel invitation', id })).status).toBe(200);
    for (const send of [visitor(api).open(link), visitor(other).submit(link, { password: PASSWORD })])
      expect((await send).status).toBe(404);
    expect((await ana.submit('/account', { do: 'cancel invitation', id })).status).toBe(400);

    const late = await linkFrom(owner, email);
    await db.pool.query("update invitations set expires_at = now() - interval '1 second' where email = $1", [
      email,
    ]);
    expect((await visitor(api).submit(late, { password: PASSWORD })).status).toBe(404);
    expect((await ana.open('/account')).text).not.toContain('value="cancel invitation"');
    expect(await usersAt(email)).toEqual([]);
    const { rows } = await db.pool.query(
      "select action from audit where entity = 'invitations' and entity_id = $1 order by id",
      [(await companyOf(owner)).id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['insert', 'insert', 'delete', 'insert']);
  });

  test("counts toward the company's limit, even if many are sent at once", async () => {
    const owner = await newUser(db);
    const addresses = Array.from({ length: MAX_INVITATIONS + 5 }, newAddress);
    const sent = await Promise.allSettled(addresses.map(email => linkFrom(owner, email)));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_INVITATIONS);
    expect(await invitationsOf(owner)).toHaveLength(MAX_INVITATIONS);
    const { email } = (await invitationsOf(owner))[0]!;
    await expect(linkFrom(owner, newAddress())).rejects.toMatchObject({ code: 'too_many_invitations' });
    // Inviting one of them again adds none.
    await linkFrom(owner, email);
    await cancelInvitations(db.pool, { email }, 'test');
    await linkFrom(owner, newAddress());
  });

  test('is an email, so a company can send only so many', async () => {
    const owner = await newUser(db);
    const ana = await signedIn(owner);
    const inviteOne = async () => {
      const email = newAddress();
      await ana.submit('/account', { do: 'invite', email });
      return (await invitationsOf(owner)).some(row => row.email === email);
    };
    let sent = 0;
    while (sent < 60 && (await inviteOne())) sent++;
    expect(sent).toBeGreaterThanOrEqual(30);
    expect(sent).toBeLessThan(60);
    // Canceling does not make room for more emails.
    await db.pool.query('delete from invitations where company_id = $1', [(await companyOf(owner)).id]);
    expect(await inviteOne()).toBe(false);
  });

  test("from the release before works, and its user doesn't block the address", async () => {
    const [first, second] = [await newUser(db), await newUser(db)];
    const [accepted, ignored] = [newAddress(), newAddress()];
    const invitedBefore = async (email: string) => {
      const user = await createUser(db.pool, {
        companyId: (await companyOf(first)).id,
        email,
        actor: first.email,
      });
      return createLink(db.pool, user!.id, 'invite');
    };
    const bob = visitor(api);
    expect((await bob.submit(await invitedBefore(accepted), { password: PASSWORD })).status).toBe(303);
    const old = await invitedBefore(ignored);
    const link = await linkFrom(second, ignored);
    expect((await visitor(api).submit(link, { password: PASSWORD })).status).toBe(303);
    expect(await usersAt(ignored)).toEqual([(await companyOf(second)).id]);
    expect((await visitor(api).submit(old, { password: PASSWORD })).status).toBe(404);
    // One who has been here keeps their company.
    const wanted = await linkFrom(second, accepted);
    expect((await visitor(api).submit(wanted, { password: PASSWORD })).status).toBe(409);
    expect((await bob.open('/data')).status).toBe(200);
  });
});

test('plat user invite sends a link, and the user exists once it is accepted', async () => {
  const email = newAddress();
  const owner = await newUser(db);
  const company = await companyOf(owner);
  const { code } = await cli.plat('user', 'invite', email, '--company', company.name, '--operator');
  expect([code, await usersAt(email)]).toEqual([0, []]);
  const { rows } = await db.pool.query('select operator from invitations where email = $1', [email]);
  expect(rows).toEqual([{ operator: true }]);
  expect(await invitationsOf(owner)).toHaveLength(1);
});

test("the owner of a disabled account can't invite anybody", async () => {
  const owner = await newUser(db);
  const ana = await signedIn(owner);
  await linkFrom(owner, newAddress());
  await changeAccount(db.pool, owner.accountId, { disabled: true });
  expect((await ana.submit('/account', { do: 'invite', email: newAddress() })).status).toBe(403);
  expect(await invitationsOf(owner)).toHaveLength(1);
});
