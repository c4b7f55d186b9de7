import { describe, expect, test } from 'vitest';
import { createKey, listKeys } from '../../shared/accounts/accounts.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { mailTo, newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: db.folder } });
const { json } = commandsOn(db);
const user = await newUser(db);
const ana = visitor(api);
await ana.signIn(user);

const SITE = 'https://maps.example.com';
const keyIn = (text: string): string | undefined => /plat_[\w-]{43}/.exec(text)?.[0];
const panelOf = (text: string): string => /<section[^>]*id="keys".*?<\/section>/s.exec(text)![0];
const statusOf = async (key: string, origin = SITE) =>
  (await fetch(`${api.url}/tiles.json?token=${key}`, { headers: { Origin: origin } })).status;

const copiesIn = (text: string): string[] =>
  [...text.matchAll(/data-copy="([^"]*)"/g)].map(([, copy]) => copy!);

async function newMapKey(fields: Record<string, string> = {}) {
  const name = `map ${Math.random().toString(36).slice(2)}`;
  const reply = await ana.submit('/account', {
    do: 'create map key',
    map_name: name,
    origins: SITE,
    ...fields,
  });
  const key = (await listKeys(db.pool, user.accountId)).find(each => each.name === name);
  return { ...reply, secret: keyIn(reply.text), key };
}

describe('map keys', () => {
  test('are created, and shown once', async () => {
    const { status, secret, key } = await newMapKey({ origins: `${SITE}/\r\n\r\n  http://localhost:5173 ` });
    expect(status).toBe(200);
    expect(key).toMatchObject({
      scopes: ['map:read'],
      origins: [SITE, 'http://localhost:5173'],
      expires_at: null,
    });
    expect(await statusOf(secret!)).toBe(200);
    expect(await statusOf(secret!, 'https://evil.example')).toBe(403);
    const { text } = await ana.open('/account');
    expect(text).not.toContain(secret);
    expect(panelOf(text)).toContain(SITE);
  });

  test('are shown with URLs that work, and the URL of tiles only for desktop programs', async () => {
    const forSite = await newMapKey();
    expect(copiesIn(forSite.text)).toEqual([
      forSite.secret,
      `${api.url}/ogc/style.json?token=${forSite.secret}`,
      `${api.url}/tiles.json?token=${forSite.secret}`,
    ]);
    for (const url of copiesIn(forSite.text).slice(1))
      expect((await fetch(url!, { headers: { Origin: SITE } })).status, url).toBe(200);
    const { text } = await newMapKey({ origins: '' });
    expect(copiesIn(text).at(-1)).toContain('/tiles/WebMercatorQuad/{z}/{y}/{x}?token=plat_');
    const rotated = await ana.submit('/account', { do: 'rotate key', id: forSite.key!.id });
    expect(copiesIn(rotated.text)).toContain(`${api.url}/tiles.json?token=${keyIn(rotated.text)}`);
  });

  test('can expire, and need a name and real websites', async () => {
    const { key } = await newMapKey({ map_expires: '2099-01-31' });
    expect(key!.expires_at!.toISOString()).toBe('2099-01-31T23:59:59.999Z');
    const wrong: Record<string, string>[] = [
      { origins: 'maps.example.com' },
      { origins: '*' },
      { map_expires: '2020-01-01' },
    ];
    for (const fields of wrong) {
      const refused = await newMapKey(fields);
      expect([refused.status, refused.key, refused.secret]).toEqual([400, undefined, undefined]);
    }
    expect((await ana.submit('/account', { do: 'create map key', map_name: '', origins: '' })).status).toBe(
      400,
    );
  });

  test('get other websites', async () => {
    const { key, secret } = await newMapKey();
    const other = 'https://other.example';
    expect((await ana.submit('/account', { do: 'save websites', id: key!.id, origins: other })).status).toBe(
      200,
    );
    await expect.poll(() => statusOf(secret!, other)).toBe(200);
    expect(await statusOf(secret!)).toBe(403);
    expect((await ana.submit('/account', { do: 'save websites', id: key!.id, origins: 'x' })).status).toBe(
      400,
    );
  });

  test('rotate: both keys work, and the new one has the same websites', async () => {
    const { key, secret } = await newMapKey();
    const { text, status } = await ana.submit('/account', { do: 'rotate key', id: key!.id });
    expect(status).toBe(200);
    const next = keyIn(text)!;
    expect(next).not.toBe(secret);
    expect([await statusOf(secret!), await statusOf(next)]).toEqual([200, 200]);
    const keys = (await listKeys(db.pool, user.accountId)).filter(({ name }) => name === key!.name);
    const hours = keys.map(({ expires_at }) => expires_at && (expires_at.getTime() - Date.now()) / 3_600_000);
    expect(hours.map(left => left && Math.round(left)).sort()).toEqual([24, null]);
    expect(keys.map(({ origins }) => origins)).toEqual([[SITE], [SITE]]);
  });

  test('are revoked', async () => {
    const { key, secret } = await newMapKey();
    expect(await statusOf(secret!)).toBe(200);
    await ana.submit('/account', { do: 'revoke key', id: key!.id });
    await expect.poll(() => statusOf(secret!)).toBe(401);
    for (const what of ['save websites', 'rotate key'])
      expect((await ana.submit('/account', { do: what, id: key!.id, origins: '' })).status, what).toBe(400);
  });
});

test('API keys are shown with the URL for GIS programs, without the key in it', async () => {
  const create = async (scope: string) =>
    copiesIn((await ana.submit('/account', { do: 'create key', name: scope, scope })).text);
  expect((await create('api:direct')).slice(1)).toEqual([`${api.url}/ogc/`]);
  expect((await create('api:mcp')).slice(1)).toEqual([]);
});

test('the websites of other keys cannot be set', async () => {
  const { id } = await createKey(db.pool, user.accountId, { name: 'rest' });
  expect((await ana.submit('/account', { do: 'save websites', id, origins: SITE })).status).toBe(400);
  expect((await listKeys(db.pool, user.accountId)).find(key => key.id === id)!.origins).toEqual([]);
});

test("other companies' keys and colleagues' wishes are refused", async () => {
  const bob = await newUser(db);
  const { id } = await createKey(db.pool, bob.accountId, {
    name: 'bob',
    scopes: ['map:read'],
    origins: [SITE],
  });
  for (const what of ['save websites', 'rotate key', 'revoke key'])
    for (const wrong of [id, 'x', ''])
      expect((await ana.submit('/account', { do: what, id: wrong, origins: '' })).status, what).toBe(400);
  expect(await listKeys(db.pool, bob.accountId)).toMatchObject([
    { origins: [SITE], revoked_at: null, expires_at: null },
  ]);
  const { key } = await newMapKey();
  await ana.submit('/account', { do: 'invite', email: 'colleague@acme.example' });
  const invited = visitor(api);
  await invited.submit(await mailTo(api, 'colleague@acme.example'), { password: 'some words of my own' });
  for (const what of ['create map key', 'save websites', 'rotate key', 'revoke key'])
    expect(
      (await invited.submit('/account', { do: what, id: key!.id, map_name: 'x', origins: '' })).status,
      what,
    ).toBe(403);
});

test('plat key creates, lists, and rotates map keys', async () => {
  const made = (await json(
    'key',
    'create',
    user.accountId,
    '--name',
    'cli map',
    '--scope',
    'map:read',
    '--origin',
    SITE,
    'http://localhost:5173',
  )) as { key: string; id: string };
  expect(await statusOf(made.key, 'http://localhost:5173')).toBe(200);
  expect(await json('key', 'list', '--account', user.accountId)).toContainEqual(
    expect.objectContaining({ id: made.id, scopes: ['map:read'], origins: [SITE, 'http://localhost:5173'] }),
  );
  const rotated = (await json('key', 'rotate', made.id)) as { key: string };
  expect(await statusOf(rotated.key)).toBe(200);
});
