import { expect, test } from 'vitest';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { createLink } from '../../shared/accounts/sign-in.ts';
import { createUser } from '../../shared/accounts/users.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { newAddress, openTeams, PASSWORD } from '../support/teams.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: db.folder } });
const cli = commandsOn(db);
const { companyOf, linkFrom, signedIn, newColleague, usersAt, invitationsOf } = openTeams(db, api);

test("someone who signs in only by link can't be replaced through an invitation, signed in or out", async () => {
  const [ours, theirs] = [await newUser(db), await newUser(db)];
  const email = newAddress();
  const { id: companyId } = await companyOf(ours);
  const bob = (await createUser(db.pool, { companyId, email, actor: 'operator' }))!;
  const window = visitor(api);
  await window.submit(await createLink(db.pool, bob.id, 'sign_in'), {});
  const link = await linkFrom(theirs, email);
  const accept = async () => (await visitor(api).submit(link, { password: PASSWORD })).status;
  expect(await accept()).toBe(409);
  await window.submit('/sign-out', {});
  expect(await accept()).toBe(409);
  expect(await usersAt(email)).toEqual([companyId]);
});

test("a removed person can't come back through an invitation, received or sent", async () => {
  const owner = await newUser(db);
  const company = await companyOf(owner);
  const email = newAddress();
  const toThem = await linkFrom(owner, email);
  await cli.json('user', 'create', email, '--company', company.name);
  await cli.json('user', 'remove', email);

  const heir = await newColleague(owner);
  const fromThem = await linkFrom(owner, newAddress());
  await changeAccount(db.pool, owner.accountId, { user: heir.email });
  await cli.json('user', 'remove', owner.email);
  for (const link of [toThem, fromThem])
    expect((await visitor(api).submit(link, { password: PASSWORD })).status).toBe(404);
  expect(await invitationsOf(heir as never)).toEqual([]);
});

test('a person whose deals have no one to go to is not removed', async () => {
  const owner = await newUser(db);
  const bob = await newColleague(owner);
  await db.pool.query(
    `with board as (insert into deal_boards (user_id) values ($1) returning id)
     insert into deals (board_id, status, position, property_id) select id, 'listed', 0, 3301900001047 from board`,
    [bob.id],
  );
  const { rows } = await db.pool.query('select name from accounts where user_id = $1', [owner.id]);
  await cli.json('account', 'set', rows[0].name, '--company', 'of nobody else');
  expect((await cli.plat('user', 'remove', bob.email)).code).toBe(2);
  expect(await usersAt(bob.email)).toHaveLength(1);
});

test('whoever signs in while being removed is either in or out, and no call fails', async () => {
  for (let round = 0; round < 8; round++) {
    const owner = await newUser(db);
    const bob = await newColleague(owner);
    const ana = await signedIn(owner);
    const link = await createLink(db.pool, bob.id, round % 2 ? 'reset' : 'sign_in');
    const [removed, entered] = await Promise.all([
      ana.submit('/account', { do: 'remove person', id: bob.id }),
      visitor(api).submit(link, { password: PASSWORD }),
    ]);
    expect(removed.status).toBeLessThan(400);
    expect(entered.status).toBeLessThan(500);
    expect(await usersAt(bob.email)).toEqual([]);
  }
});

test('an address that mailers read as another one is refused, and leaves nothing behind', async () => {
  for (const email of ['nonsense', 'x,victim@people.example', 'g:victim@people.example', 'a@b(c)'])
    expect((await cli.plat('user', 'invite', email, '--company', `ghost of ${email}`)).code).toBe(2);
  const { rows } = await db.pool.query("select from companies where name like 'ghost of %'");
  expect(rows).toEqual([]);
});
