import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { linkOf, mailTo, newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const { folder } = db;
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: folder } });
/** A second process behind the same address. */
const other = await startTestApi(db, { pages: true, env: { PLAT_DIR: folder } });

describe('signing in', () => {
  test('with a password sets a random HttpOnly, SameSite=Lax cookie, and signing out revokes it', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    expect((await ana.open('/data')).headers.get('location')).toBe('/sign-in?next=%2Fdata');
    // What would not fit a header comes back without its query, or not at all.
    const long = await ana.open(`/data?owner_name=${'é'.repeat(500)}`);
    expect(long.headers.get('location')).toBe('/sign-in?next=%2Fdata');
    const longPath = await ana.open(`/comping/${'['.repeat(3_000)}`);
    expect(longPath.headers.get('location')).toBe('/sign-in?next=%2Fdata');
    const reply = await ana.signIn(user);
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/data']);
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^plat_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    );
    expect((await ana.open('/data')).status).toBe(200);
    const { cookie } = ana;
    await ana.submit('/sign-out', {});
    ana.cookie = cookie;
    expect((await ana.open('/data')).status).toBe(303);
  });

  test('behind HTTPS the cookie is Secure', async () => {
    const secure = await startTestApi(db, { pages: true, env: { TRUSTED_PROXIES: 'loopback' } });
    const user = await newUser(db);
    const host = new URL(secure.url).host;
    const reply = await visitor(secure).submit(
      '/sign-in',
      { email: user.email, password: user.password },
      { 'X-Forwarded-Proto': 'https', Origin: `https://${host}` },
    );
    expect(reply.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  test("the response doesn't reveal whether an address is known", async () => {
    const user = await newUser(db);
    const wrong = await visitor(api).submit('/sign-in', {
      email: user.email,
      password: 'wrong',
      how: 'password',
    });
    const unknown = await visitor(api).submit('/sign-in', {
      email: 'who@no.example',
      password: 'wrong',
      how: 'password',
    });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text.replaceAll(user.email, '@')).toBe(unknown.text.replaceAll('who@no.example', '@'));
    const sent = await visitor(api).submit('/sign-in', { email: user.email, how: 'link' });
    const not = await visitor(api).submit('/sign-in', { email: 'who@no.example', how: 'link' });
    expect(sent.text.replaceAll(user.email, '@')).toBe(not.text.replaceAll('who@no.example', '@'));
  });

  test('a mailed link shows a page before it is used, works once, and invalidates the other links', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.submit('/sign-in', { email: user.email, how: 'link' });
    const path = await mailTo(api, user.email);
    const second = await linkOf(db, user.id);
    // A mail scanner looks at it, twice.
    expect((await visitor(api).open(path)).text).toContain(user.email);
    expect((await visitor(api).open(path)).status).toBe(200);
    expect((await ana.submit(path, {})).headers.get('location')).toBe('/data');
    expect((await ana.open('/data')).status).toBe(200);
    expect((await visitor(api).submit(path, {})).status).toBe(404);
    expect((await visitor(api).submit(second, {})).status).toBe(404);
  });

  test("the link from the operator's terminal works at once when it is pasted into the address bar", async () => {
    const user = await newUser(db);
    const reply = await visitor(api).open(`${await linkOf(db, user.id)}?next=%2Fmarkets`, {
      'Sec-Fetch-Site': 'none',
      'Sec-Fetch-User': '?1',
    });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/markets']);
  });

  test('a new password ends all other sessions', async () => {
    const user = await newUser(db);
    const [here, there] = [visitor(api), visitor(api)];
    await here.signIn(user);
    await there.signIn(user);
    const reply = await here.submit('/account', {
      do: 'password',
      current: user.password,
      password: 'another four words now',
    });
    expect(reply.status).toBe(200);
    expect((await here.open('/data')).status).toBe(200);
    expect((await there.open('/data')).status).toBe(303);
    const reset = await linkOf(db, user.id, 'reset');
    expect((await there.submit(reset, { password: 'short' })).status).toBe(400);
    expect((await there.submit(reset, { password: 'yet another four words' })).status).toBe(303);
    expect((await here.open('/data')).status).toBe(303);
  });

  describe('attempts are limited', async () => {
    const slow = await startTestApi(db, { pages: true, env: { TRUSTED_PROXIES: 'loopback' } });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const guess = (address: string, email: string, who = visitor(slow)) =>
      who.submit('/sign-in', { email, password: 'guess', how: 'password' }, from(address));
    const enter = (
      address: string,
      { email, password }: { email: string; password: string },
      who = visitor(slow),
    ) => who.submit('/sign-in', { email, password, how: 'password' }, from(address));
    /** Guesses until they are refused. @returns how many were answered */
    async function hammer(address: () => string, email: string, who?: ReturnType<typeof visitor>) {
      for (let guesses = 0; guesses < 40; guesses++)
        if ((await guess(address(), email, who)).status === 429) return guesses;
      return 40;
    }

    test('by network and account, so repeated attempts by strangers lock nobody out', async () => {
      const [user, colleague] = [await newUser(db), await newUser(db)];
      expect(await hammer(() => '10.0.0.1', user.email.toUpperCase())).toBeLessThan(15);
      expect((await enter('10.0.0.1', user)).status).toBe(429);
      expect((await enter('10.0.0.2', user)).status).toBe(303);
      expect((await enter('10.0.0.1', colleague)).status).toBe(303);
    });

    test('an IPv6 client counts as one network, whichever of its addresses it uses', async () => {
      const user = await newUser(db);
      let n = 1;
      expect(await hammer(() => `2001:db8:1:1::${(n++).toString(16)}`, user.email)).toBeLessThan(15);
      expect((await enter('2001:db8:1:2::1', user)).status).toBe(303);
    });

    test('a browser in which its user has signed in has its own count, even on the same network', async () => {
      const user = await newUser(db);
      const own = visitor(slow);
      const reply = await enter('10.0.1.1', user, own);
      const device = reply.headers.getSetCookie().find(cookie => cookie.startsWith('plat_device='));
      expect(device).toMatch(
        /^plat_device=[\w-]+; Path=\/sign-in; HttpOnly; SameSite=Lax; Max-Age=31536000$/,
      );
      await own.submit('/sign-out', {}, from('10.0.1.1'));
      expect(await hammer(() => '10.0.1.1', user.email)).toBeLessThan(15);
      expect((await enter('10.0.1.1', user)).status).toBe(429);
      expect((await enter('10.0.1.1', user, own)).status).toBe(303);
      await own.submit('/sign-out', {}, from('10.0.1.1'));
      // It is of use for nobody else's account, nor without end.
      const other = await newUser(db);
      await hammer(() => '10.0.1.1', other.email);
      expect((await enter('10.0.1.1', other, own)).status).toBe(429);
      expect(await hammer(() => '10.0.1.9', user.email, own)).toBeLessThan(15);
      // Nor is one that somebody has made up.
      const forged = visitor(slow);
      forged.set('plat_device', `${device!.slice(12, 40)}A`);
      expect((await enter('10.0.1.1', user, forged)).status).toBe(429);
    });

    test('separately for passwords, sign-in links, and password links', async () => {
      const user = await newUser(db);
      await hammer(() => '10.0.2.1', user.email);
      const stranger = visitor(slow);
      for (const [path, how] of [
        ['/sign-in', 'link'],
        ['/sign-in/reset', ''],
      ] as const) {
        const ask = async () => {
          const { status } = await stranger.submit(path, { email: user.email, how }, from('10.0.2.1'));
          return status;
        };
        const statuses: number[] = [];
        for (let i = 0; i < 14; i++) statuses.push(await ask());
        expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
        expect(statuses).toContain(429);
      }
      const elsewhere = { email: user.email, how: 'link' };
      expect((await visitor(slow).submit('/sign-in', elsewhere, from('10.0.2.2'))).status).toBe(200);
    });

    test('guesses at many accounts by their origin', async () => {
      // A tenth of them comes back in a minute, so that a slow machine needs a few more.
      const guesses = Array.from({ length: 150 }, (_, i) => guess('10.9.9.9', `no${i}@no.example`));
      expect((await Promise.all(guesses)).some(({ status }) => status === 429)).toBe(true);
    });
  });

  test('nobody is redirected to another site after signing in', async () => {
    const user = await newUser(db);
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
    ])
      expect((await visitor(api).signIn(user, next)).headers.get('location')).toBe('/data');
    expect((await visitor(api).signIn(user, '/data?county=33019')).headers.get('location')).toBe(
      '/data?county=33019',
    );
  });

  test('a session fixed before signing in stays worthless', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    const planted = `plat_session=${'A'.repeat(43)}`;
    ana.cookie = planted;
    await ana.signIn(user);
    expect(ana.cookie).not.toBe(planted);
    const thief = visitor(api);
    thief.cookie = planted;
    expect((await thief.open('/data')).status).toBe(303);
  });
});

describe('secrets', () => {
  test('tokens, passwords, and cookies are in no log line and in no URL that other sites see', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const logged = await startTestApi(db, { pages: true, log, env: { LOG_REQUESTS: 'true' } });
    const user = await newUser(db);
    const link = await linkOf(db, user.id);
    const ana = visitor(logged);
    expect((await ana.open(link)).headers.get('referrer-policy')).toBe('same-origin');
    await ana.submit(link, {});
    await ana.signIn(user);
    await ana.submit('/account', { do: 'password', current: 'wrong', password: 'a password of many words' });
    // What opens a shared report, a file, an image, and ends the mails of a search, whether it exists or not.
    const token = randomBytes(32).toString('base64url');
    const unsubscribe = randomUUID();
    for (const path of ['/comping/shared/', '/files/', '/images/']) await fetch(logged.url + path + token);
    await fetch(`${logged.url}/searches/unsubscribe/${unsubscribe}`);
    const id = randomUUID();
    await fetch(`${logged.url}/searches/${id}`);
    await logged.stop();
    const all = lines.join('');
    expect(all).toContain('/sign-in/link/[removed]');
    expect(all).toContain(id);
    for (const secret of [
      token,
      unsubscribe,
      link.split('/').at(-1)!,
      ana.cookie!.split('=')[1]!,
      user.password,
      'of many words',
    ])
      expect(all).not.toContain(secret);
  });
});

describe('sessions', () => {
  test('work in every process, and survive restarts', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    const there = visitor(other);
    there.cookie = ana.cookie;
    expect((await there.open('/data')).status).toBe(200);
    const again = await startTestApi(db, { pages: true });
    const later = visitor(again);
    later.cookie = ana.cookie;
    expect((await later.open('/data')).status).toBe(200);
  });

  test('are stored as hashes, and end 30 days after the last visit', async () => {
    const user = await newUser(db);
    const ana = visitor(api);
    await ana.signIn(user);
    const { rows } = await db.pool.query('select * from sessions where user_id = $1', [user.id]);
    expect(JSON.stringify(rows)).not.toContain(ana.cookie!.split('=')[1]);
    await db.pool.query("update sessions set seen_at = now() - interval '31 days' where user_id = $1", [
      user.id,
    ]);
    expect((await ana.open('/data')).status).toBe(303);
  });

  test('can be ended one by one and all at once', async () => {
    const user = await newUser(db);
    const [here, there] = [visitor(api), visitor(api)];
    await here.signIn(user);
    await there.signIn(user);
    const { rows } = await db.pool.query<{ id: string }>(
      'select id from sessions where user_id = $1 order by created_at desc limit 1',
      [user.id],
    );
    await here.submit('/account', { do: 'end session', id: rows[0]!.id });
    expect((await there.open('/data')).status).toBe(303);
    for (const id of ['', 'x', 'nope'.repeat(9)]) {
      const refused = await here.submit('/account', { do: 'end session', id });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('session')]);
      expect((await here.submit('/account', { do: 'end assistant', id })).status).toBe(400);
    }
    expect((await here.submit('/account', { do: '__proto__' })).status).toBe(400);
    expect((await here.submit('/account', { do: 'end sessions', id: '' })).headers.get('location')).toBe(
      '/sign-in',
    );
    expect((await here.open('/data')).status).toBe(303);
  });
});
