import { describe, expect, test } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import { ogcEndpoints } from '../../api/ogc/ogc-endpoints.ts';
import { tileEndpoints } from '../../api/ogc/tile-endpoints.ts';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { PRICES, priceText } from '../../shared/model/prices.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const env = { PLAT_DIR: db.folder };
const api = await startTestApi(db, { pages: true, env });
const { json } = commandsOn(db);
const user = await newUser(db);
const ana = visitor(api);
await ana.signIn(user);

/** The facts of the plan, by name. */
async function plan(): Promise<Record<string, string>> {
  const { text } = await ana.open('/account');
  const panel = /<section[^>]*id="plan".*?<\/section>/s.exec(text)![0];
  const facts = [...panel.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  return Object.fromEntries(facts);
}

async function costs(): Promise<string> {
  const { text } = await ana.open('/account');
  return /<section[^>]*id="prices".*?<\/section>/s.exec(text)![0];
}

describe('the plan', () => {
  test('shows its price, its tokens, and what more tokens cost', async () => {
    await changeAccount(db.pool, user.accountId, { overageAllowed: false });
    expect((await plan()).Includes).toContain('500,000');
    expect((await plan()).Price).not.toContain('$');
    await json('tier', 'set', 'scale', '--price', '49900');
    expect((await plan()).Price).toContain('$499.00');
    await changeAccount(db.pool, user.accountId, {
      overageAllowed: true,
      paymentMethod: true,
      backstopTokens: 1_000,
    });
    expect((await plan())['More tokens']).toMatch(/\$3\.00.*1,000/);
    // The price stays when other terms of the tier change.
    await json('tier', 'set', 'scale', '--overage-price', '250');
    expect((await plan()).Price).toContain('$499.00');
    expect((await json('tier', 'list')) as unknown).toContainEqual(
      expect.objectContaining({ name: 'scale', price_cents: 49_900, overage_cents_per_1000: 250 }),
    );
  });

  test('lists every declared price, in tokens and in dollars', async () => {
    const shown = await costs();
    const priced = [...endpoints, ...ogcEndpoints, ...tileEndpoints].flatMap(
      ({ metering }) => metering ?? [],
    );
    expect(priced.length).toBeGreaterThan(15);
    for (const { price } of priced) expect(shown).toContain(`>${priceText(price)}<`);
    expect(shown.match(/<tr/g)).toHaveLength(priced.length + 1);
    // 30 tokens at $3.00 per 1,000.
    expect(shown).toContain('$0.09');
    // What the app charges for.
    for (const price of [PRICES.phones, PRICES.exportRows, PRICES.exportMarkets])
      expect(shown.slice(0, shown.indexOf('<details'))).toContain(priceText(price));
    await changeAccount(db.pool, user.accountId, { overageCentsPer1000: 0 });
    expect(await costs()).not.toContain('$');
  });
});

describe('without a mail server', () => {
  const NOTICE = /class="notice warn"/;

  test('pages say so before anyone relies on an email', async () => {
    const { text } = await ana.open('/account');
    const team = /<section[^>]*id="people".*?<\/section>/s.exec(text)![0];
    expect(team).toMatch(NOTICE);
    expect(team).toContain('value="invite"');
    const stranger = visitor(api);
    for (const path of ['/sign-in', '/sign-in/reset'])
      expect((await stranger.open(path)).text, path).toMatch(NOTICE);
    expect((await stranger.submit('/sign-in', { email: 'nobody@acme.example', how: 'link' })).text).toMatch(
      NOTICE,
    );
  });

  test('nothing is said when there is one', async () => {
    const mailing = await startTestApi(db, { pages: true, env: { ...env, SMTP_URL: 'smtp://127.0.0.1:1' } });
    const visited = visitor(mailing);
    for (const path of ['/sign-in', '/sign-in/reset'])
      expect((await visited.open(path)).text, path).not.toMatch(NOTICE);
    visited.cookie = ana.cookie;
    expect((await visited.open('/account')).text).not.toMatch(NOTICE);
  });

  test('nobody can be invited before Plat knows its own address', async () => {
    const hidden = await startTestApi(db, { pages: true, env: { ...env, HOST: '0.0.0.0' } });
    const visited = visitor(hidden);
    visited.cookie = ana.cookie;
    const { text } = await visited.open('/account');
    expect(text).toMatch(NOTICE);
    expect(text).not.toContain('value="invite"');
  });
});
