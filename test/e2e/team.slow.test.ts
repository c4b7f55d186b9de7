import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { createLink } from '../../shared/accounts/sign-in.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { mailSearches } from '../../workers/searches/follow-searches.ts';
import { startTestApi } from '../support/api.ts';
import { createCompany } from '../support/companies.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { newAddress, openTeams, PASSWORD } from '../support/teams.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { ON_LOOPBACK } from '../support/webhooks.ts';

const db = await createTestDatabase({}, { sample: true });
const env = { ...ON_LOOPBACK, PLAT_DIR: db.folder };
const api = await startTestApi(db, { pages: true, env });
/** A second process behind the same address. */
const other = await startTestApi(db, { pages: true, env });
const cli = commandsOn(db);
const { companyOf, linkFrom, signedIn, newColleague, usersAt, invitationsOf } = openTeams(db, api);

describe('a removed person', () => {
  test("is signed out of every process with the next request, and can't come back", async () => {
    const owner = await newUser(db);
    const bob = await newColleague(owner);
    const there = visitor(other);
    await there.signIn(bob);
    const links = [await createLink(db.pool, bob.id, 'sign_in'), await createLink(db.pool, bob.id, 'reset')];
    for (const browser of [bob.browser, there]) expect((await browser.open('/data')).status).toBe(200);
    const stream = await fetch(`${other.url}/exports/events`, { headers: { Cookie: there.cookie! } });
    expect(stream.status).toBe(200);

    const ana = await signedIn(owner);
    expect((await ana.submit('/account', { do: 'remove person', id: bob.id })).status).toBe(200);
    for (const browser of [bob.browser, there]) {
      expect((await browser.open('/data')).status).toBe(303);
      expect((await browser.open('/account')).status).toBe(303);
      expect((await browser.open('/tiles/parcels/0/0/0.mvt')).status).toBe(401);
    }
    for (const link of links)
      expect((await visitor(other).submit(link, { password: PASSWORD })).status).toBe(404);
    expect((await visitor(other).signIn(bob)).status).toBe(401);
    // What was open ends: the body has an end.
    await stream.text();
    expect((await ana.open('/account')).text).toContain(bob.email);
    expect((await ana.submit('/account', { do: 'remove person', id: bob.id })).status).toBe(400);
  });

  test('leaves their work to the company, and gets no more email', async () => {
    const { user: owner, things, key } = await createCompany(db, api);
    const bob = await newColleague(owner);
    const { id: company } = await companyOf(owner);
    await db.pool.query('update comp_reports set user_id = $1 where id = $2', [bob.id, things.report]);
    await db.pool.query(
      "insert into search_readers (search_id, user_id, mailed_n, mailed_at) values ($1, $2, 0, now() - interval '2 days')",
      [things.search, bob.id],
    );
    await db.pool.query("update searches set notify = 'at_once' where id = $1", [things.search]);
    const { rows: boards } = await db.pool.query(
      'insert into deal_boards (user_id) values ($1) returning id',
      [bob.id],
    );
    await db.pool.query(
      `insert into deals (board_id, status, position, property_id) select $1, 'listed', n, 3301900001047 from generate_series(0, 2) n`,
      [boards[0].id],
    );
    const dealsOf = async (where: string) =>
      (
        await db.pool.query(
          `select d.status, d.position from deals d join deal_boards b on b.id = d.board_id where ${where} order by 1, 2`,
          [owner.id],
        )
      ).rows;
    const before = await dealsOf('b.user_id = $1');

    const ana = await signedIn(owner);
    expect((await ana.submit('/account', { do: 'remove person', id: bob.id })).status).toBe(200);

    const after = await dealsOf('b.user_id = $1');
    expect(after).toHaveLength(before.length + 3);
    const listed = after.filter(({ status }) => status === 'listed').map(({ position }) => position);
    expect(listed).toEqual(listed.map((_, place) => place));
    expect((await ana.open(`/comping/${things.report}`)).status).toBe(200);
    expect((await ana.open(`/lists/${things.list}`)).status).toBe(200);
    expect((await api.call('/api/public/v1/usage/', { key })).status).toBe(200);
    const search = await api.call(`/api/public/v1/searches/${things.search}/`, { key });
    expect(search.json).toMatchObject({ emails: [owner.email] });

    await db.pool.query(
      "insert into search_changes (search_id, at, property_id, became) values ($1, now(), 3301900001047, 'added')",
      [things.search],
    );
    await mailSearches(db.pool, api.config, createLogger({ LOG_LEVEL: 'silent' }, 'test'));
    const outbox = join(api.config.PLAT_DIR, 'outbox');
    const mails = existsSync(outbox) ? readdirSync(outbox) : [];
    expect(mails.filter(file => file.includes(owner.email))).toHaveLength(1);
    expect(mails.filter(file => file.includes(bob.email))).toEqual([]);
    const { rows } = await db.pool.query(
      "select actor, before ->> 'company_id' as company from audit where entity = 'users' and action = 'delete' and entity_id = $1",
      [bob.id],
    );
    expect(rows).toEqual([{ actor: owner.email, company }]);
  });

  test('frees their address', async () => {
    const [first, second] = [await newUser(db), await newUser(db)];
    const bob = await newColleague(first);
    const link = await linkFrom(second, bob.email);
    expect((await visitor(api).submit(link, { password: PASSWORD })).status).toBe(409);
    await (await signedIn(first)).submit('/account', { do: 'remove person', id: bob.id });
    expect((await visitor(api).submit(link, { password: PASSWORD })).status).toBe(303);
    expect(await usersAt(bob.email)).toEqual([(await companyOf(second)).id]);
  });
});

describe('who may remove and invite people', () => {
  test('a colleague sees no form and is refused', async () => {
    const owner = await newUser(db);
    const [bob, eve] = [await newColleague(owner), await newColleague(owner)];
    await linkFrom(owner, newAddress());
    const [invitation] = await invitationsOf(owner);
    const page = (await eve.browser.open('/account')).text;
    for (const action of ['invite', 'remove person', 'cancel invitation'])
      expect(page).not.toContain(`value="${action}"`);
    const forms: Record<string, string>[] = [
      { do: 'invite', email: newAddress() },
      { do: 'remove person', id: bob.id },
      { do: 'cancel invitation', id: invitation!.id },
    ];
    for (const form of forms) expect((await eve.browser.submit('/account', form)).status).toBe(403);
    expect(await usersAt(bob.email)).toHaveLength(1);
    expect(await invitationsOf(owner)).toEqual([invitation]);
  });

  test("another company's owner can reach nobody, as if they didn't exist", async () => {
    const [owner, stranger] = [await newUser(db), await newUser(db)];
    const bob = await newColleague(owner);
    const link = await linkFrom(owner, newAddress());
    const [invitation] = await invitationsOf(owner);
    const eve = await signedIn(stranger);
    for (const id of [bob.id, owner.id, '00000000-0000-0000-0000-000000000000'])
      expect((await eve.submit('/account', { do: 'remove person', id })).status).toBe(400);
    for (const id of [invitation!.id, '00000000-0000-0000-0000-000000000000', 'x'])
      expect((await eve.submit('/account', { do: 'cancel invitation', id })).status).toBe(400);
    expect((await bob.browser.open('/data')).status).toBe(200);
    expect((await visitor(api).open(link)).status).toBe(200);
  });

  test("an owner can't be removed, by anybody, until the account has another one", async () => {
    const owner = await newUser(db);
    const company = await companyOf(owner);
    const partner = await newUser(db, { company: company.name });
    const operator = await signedIn(await newUser(db, { operator: true }));
    const ana = await signedIn(owner);
    for (const id of [owner.id, partner.id])
      expect((await ana.submit('/account', { do: 'remove person', id })).status).toBe(400);
    expect((await operator.submit('/admin/user', { id: partner.id })).status).toBe(409);
    await cli.refused(['user', 'remove', partner.email], 'plat account set');
    expect(await usersAt(partner.email)).toHaveLength(1);

    await changeAccount(db.pool, partner.accountId, { user: owner.email });
    expect((await ana.submit('/account', { do: 'remove person', id: partner.id })).status).toBe(200);
    expect(await usersAt(partner.email)).toEqual([]);
  });

  test('an operator removes at /admin; an operator is removed only by operators', async () => {
    const owner = await newUser(db);
    const [bob, ops] = [await newColleague(owner), await newColleague(owner)];
    await db.pool.query('update users set operator = true where id = $1', [ops.id]);
    const ana = await signedIn(owner);
    expect((await ana.submit('/account', { do: 'remove person', id: ops.id })).status).toBe(403);
    expect((await ana.submit('/admin/user', { id: bob.id })).status).toBe(404);
    // Operators manage the team of their own company, without owning its account.
    expect((await ops.browser.open('/account')).text).toContain('value="invite"');
    expect((await ops.browser.submit('/admin/user', { id: ops.id })).status).toBe(409);
    expect((await ops.browser.open(`/admin/user?id=${bob.id}`)).status).toBe(200);
    const removed = await ops.browser.submit('/admin/user', { id: bob.id });
    expect([removed.status, await usersAt(bob.email)]).toEqual([303, []]);
    expect((await ops.browser.submit('/admin/user', { id: bob.id })).status).toBe(404);
  });
});

describe('plat user remove', () => {
  test('removes a person, and cancels invitations to an address', async () => {
    const owner = await newUser(db);
    const bob = await newColleague(owner);
    const wanted = await linkFrom(await newUser(db), bob.email);
    const company = await companyOf(owner);
    expect(await cli.json('user', 'remove', bob.email.toUpperCase())).toEqual({
      email: bob.email.toUpperCase(),
      company: company.name,
      invitations_canceled: 1,
    });
    expect((await bob.browser.open('/data')).status).toBe(303);
    expect((await visitor(api).open(wanted)).status).toBe(404);

    const invited = newAddress();
    const link = await linkFrom(owner, invited);
    expect(await cli.json('user', 'remove', invited)).toMatchObject({
      company: null,
      invitations_canceled: 1,
    });
    expect((await visitor(api).open(link)).status).toBe(404);
    await cli.refused(['user', 'remove', invited], '\\buser\\b');
  });
});
