import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const [ana, eve] = [visitor(api), visitor(api)];
let accountId: string;

beforeAll(async () => {
  const user = await newUser(db, { company: 'Acme Land' });
  accountId = user.accountId;
  await ana.signIn(user);
  await eve.signIn(await newUser(db, { company: 'Other Land' }));
});

type Given = { address?: string; logo?: Buffer | string; name?: string; remove?: string };

async function save(by: typeof ana, { address = '', logo, name = 'logo.png', remove }: Given) {
  const body = new FormData();
  body.append('address', address);
  if (remove) body.append('remove', remove);
  body.append(
    'logo',
    new Blob(logo === undefined ? [] : [new Uint8Array(Buffer.from(logo))]),
    logo === undefined ? '' : name,
  );
  const headers = { Cookie: by.cookie ?? '', Origin: api.url, 'Sec-Fetch-Site': 'same-origin' };
  const response = await fetch(`${api.url}/account/brand`, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2a6' } });
const stored = async (company: string) => {
  const { rows } = await db.pool.query<{ logo: Buffer | null; address: string }>(
    'select b.logo, b.address from company_brands b join companies c on c.id = b.company_id where c.name = $1',
    [company],
  );
  return rows[0];
};

describe("a company's brand", () => {
  test.each(['png', 'jpeg', 'webp'] as const)('a large %s becomes a small PNG', async format => {
    const { status } = await save(ana, { logo: await picture(1_600, 900).toFormat(format).toBuffer() });
    expect(status).toBe(200);
    const { logo } = (await stored('Acme Land'))!;
    const { format: kept, width, height } = await sharp(logo!).metadata();
    expect([kept, height]).toEqual(['png', 128]);
    expect(width).toBeLessThanOrEqual(480);
  });

  test.each<[string, Given | (() => Promise<Given>)]>([
    ['an SVG, whatever its name', { logo: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' }],
    ['a GIF', async () => ({ logo: await picture(9, 9).gif().toBuffer() })],
    ['a page', { logo: '<script>alert(1)</script>', name: 'x.png' }],
    ['a damaged PNG', async () => ({ logo: (await picture(900, 900).png().toBuffer()).subarray(0, 300) })],
    ['a file over 1 MB', { logo: Buffer.alloc(1_100_000) }],
    ['a picture with too many pixels', async () => ({ logo: await picture(9_000, 9_000).png().toBuffer() })],
    ['an address of 401 characters', { address: 'x'.repeat(401) }],
  ])('refuses %s and keeps what it has', async (_what, given) => {
    const before = await stored('Acme Land');
    const { status, text } = await save(ana, typeof given === 'function' ? await given() : given);
    expect(status).toBe(400);
    expect(text).toContain('role="alert"');
    expect(await stored('Acme Land')).toEqual(before);
  });

  test('a form without a file keeps the logo, and a box removes it', async () => {
    await save(ana, { logo: await picture(90, 30).png().toBuffer(), address: '1 Main St' });
    await save(ana, { address: '2 Main St' });
    expect(await stored('Acme Land')).toEqual({ logo: expect.any(Buffer), address: '2 Main St' });
    await save(ana, { address: '2 Main St', remove: 'yes' });
    expect(await stored('Acme Land')).toEqual({ logo: null, address: '2 Main St' });
  });

  test('only a manager of the company changes it', async () => {
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into users (email, name, company_id) select 'bob@acme.example', 'Bob', id from companies where name = 'Acme Land' returning id`,
    );
    expect(rows).toHaveLength(1);
    const before = await stored('Acme Land');
    expect((await save(visitor(api), { address: 'Nobody' })).status).toBe(303);
    await save(eve, { address: 'Eve St' });
    expect(await stored('Acme Land')).toEqual(before);
    expect((await stored('Other Land'))!.address).toBe('Eve St');
  });

  test("its reports show it, as text, and other companies' reports don't", async () => {
    await save(ana, { logo: await picture(90, 30).png().toBuffer(), address: '1 Main St\n<b>Newport</b>' });
    await db.pool.query(
      `insert into comp_reports (account_id, fips, property_id, wanted_at) values ($1, 33019, 3301900000073, now())`,
      [accountId],
    );
    await prepareCounty(db.pool, 33_019, new AbortController().signal);
    const path = /\/comping\/[\w-]{36}/.exec((await ana.open('/comping')).text)![0];
    const shared = /\/comping\/shared\/[\w-]{43}/.exec(
      (await ana.submit(path, { do: 'share', days: '7' })).text,
    )![0];
    const { text } = await visitor(api).open(shared);
    expect(text).toMatch(/<div class="letterhead"><img src="data:image\/png;base64,/);
    expect(text).toContain('1 Main St\n&lt;b>Newport');
    expect(text).not.toContain('Eve St');
  });
});
