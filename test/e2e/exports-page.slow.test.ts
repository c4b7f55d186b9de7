import { expect, test } from 'vitest';
import { startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeExports } from '../support/exports.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const SEARCH = '?county=33019&acres_min=100';

test("a search's results are exported at the stated price, downloaded, free the second time, and deleted", async () => {
  const user = await newUser(db);
  const ana = visitor(api);
  await ana.signIn(user);
  expect((await ana.open('/exports')).text).not.toContain('name="remove"');
  expect((await ana.open(`/data${SEARCH}`)).text).toContain(`href="/exports?county=33019&amp;acres_min=100"`);
  const form = (await ana.open(`/exports${SEARCH}`)).text;
  const cost = Number(/class="primary"(?:(?!<\/button>).)*?\b(\d+) tokens/s.exec(form)![1]);
  const filter = /name="filter" value="([^"]*)"/.exec(form)![1]!.replaceAll('&quot;', '"');
  const fields = { filter, kind: 'mail', tokens: String(cost) };
  expect((await ana.submit('/exports', fields)).headers.get('location')).toMatch(
    /^\/exports\?made=[0-9a-f-]{36}$/,
  );
  expect((await ana.open('/exports')).text).toContain('name="cancel"');
  await makeExports(db);
  expect(await usageOf(db, user.accountId)).toEqual({ tokens: cost, calls: 1, daily: cost });
  const list = (await ana.open('/exports')).text;
  expect(list).toMatch(/<b>Sullivan, NH: [^<]*\b100 acres<\/b>/);
  const file = await ana.open(/href="(\/files\/[^"]+)"/.exec(list)![1]!);
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; filename="plat-sullivan-nh-\d{4}-\d\d-\d\d\.csv"$/,
  );
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(cost + 1);
  expect((await ana.open(`/exports${SEARCH}`)).text).toMatch(
    /class="primary"(?:(?!<\/button>).)*\b0 tokens/s,
  );
  await ana.submit('/exports', { filter: '{"county":"33019","acres_min":500}', kind: 'csv', tokens: '99' });
  const cancel = /name="cancel" value="([^"]+)"/.exec((await ana.open('/exports')).text)![1]!;
  expect((await ana.submit('/exports', { cancel })).status).toBe(303);
  const canceled = (await ana.open('/exports')).text;
  expect(canceled).not.toContain('name="cancel"');
  const late = await ana.submit('/exports', { cancel: /name="remove" value="([^"]+)"/.exec(list)![1]! });
  expect(late.status).toBe(400);
  expect((await ana.submit('/exports', { remove: cancel })).status).toBe(303);
  const removed = async (page: string) => {
    const remove = /name="remove" value="([^"]+)"/.exec(page)![1]!;
    expect((await ana.submit('/exports', { remove })).status).toBe(303);
  };
  await removed(list);
  await ana.submit('/exports', { filter: '{"county":"33019"}', kind: 'csv', tokens: '1' });
  const failed = (await ana.open('/exports')).text;
  expect(failed).toMatch(/\b1 token\b/);
  await removed(failed);
  expect((await ana.open('/exports')).text).not.toContain('name="remove"');
});

test('mailing a list: one row per owner with an offer, marked as mailed, and left out of the next mailing', async () => {
  const bob = visitor(api);
  await bob.signIn(await newUser(db));
  const search = JSON.stringify({ county: '33019', acres_min: 5, acres_max: 20, out_of_state_owner: true });
  const add = { all: 'true', filter: search, chosen: 'true' };
  const page = (await bob.submit('/lists/add', { ...add, name: 'Spring' })).text;
  const id = /\/exports\?list_id=([0-9a-f-]+)/.exec(page)![1]!;
  const asked = `/exports?list_id=${id}&asked=true&kind=mail&rows_per=owner&only_new=true`;
  const form = (await bob.open(asked)).text;
  expect(form).toMatch(/“Spring”/);
  const cost = Number(/class="primary"(?:(?!<\/button>).)*?\b(\d+) tokens/s.exec(form)![1]);
  const [has, left] = /<\/dt><dd>([\d,]+) · ([\d,]+) /
    .exec(form)!
    .slice(1)
    .map(text => Number(text.replaceAll(',', '')));
  expect(left).toBe(has! - cost);
  const order = { list_id: id, asked: 'true', kind: 'mail', rows_per: 'owner', only_new: 'true' };
  await bob.submit('/exports', { ...order, tokens: String(cost) });
  await makeExports(db);
  const files = (await bob.open('/exports')).text;
  const file = await bob.open(/href="(\/files\/[^"]+)"/.exec(files)![1]!);
  expect(files).toMatch(/<b>Spring<\/b>/);
  expect(file.headers.get('content-disposition')).toContain('"plat-spring-');
  const lines = file.text.replace('\ufeff', '').trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^reference,first_name,last_name,full_name,salutation,.*,offer,offer_high,apns,/);
  expect(lines).toHaveLength(cost + 1);
  // Those who were mailed are no longer new, and the next list leaves them out.
  const { rows } = await db.pool.query<{ property_id: string }>(
    'select property_id from list_rows where list_id = $1',
    [id],
  );
  const marked = new URLSearchParams({ do: 'status', status: 'mailed' });
  for (const { property_id } of rows) marked.append('property_id', String(property_id));
  await bob.submit(`/lists/${id}`, marked);
  expect((await bob.open(asked)).text).toMatch(/Rows<\/dt><dd>0/);
  expect((await bob.open(`/lists/${id}`)).text).toMatch(/Offers[^$]*\$[1-9][\d,]+/);
  const next = await bob.submit('/lists', { name: 'Summer' });
  const second = next.headers.get('location')!;
  await bob.submit(second, {
    do: 'settings',
    name: 'Summer',
    percent: '30',
    of: 'value',
    mailed_within_days: '180',
  });
  // None of several is chosen beforehand, and behind the last page stands the last one.
  const choice = (await bob.submit('/lists/add', { all: 'true', filter: search })).text;
  expect(choice).toMatch(/<select[^>]*name="list"[^>]*><option value(="")?[ >]/);
  const neither = await bob.submit('/lists/add', { ...add, list: '', name: '' });
  expect([neither.status, neither.text]).toEqual([400, expect.stringContaining('name="list"')]);
  const last = (await bob.open(`/lists/${id}?page=99`)).text;
  expect(last).toMatch(/<span>(\d+) of \1<\/span>/);
  expect(last).toMatch(/<option value="33019" selected/);
  const told = (await bob.submit('/lists/add', { ...add, list: second.split('/').at(-1)! })).text;
  expect(told).toMatch(/\b0 parcels [^<]*\b[1-9]\d* mailed recently/);
  // Another company's list is none.
  const eve = visitor(api);
  await eve.signIn(await newUser(db));
  expect((await eve.open(`/exports?list_id=${id}`)).status).toBe(404);
  const stream = await fetch(`${api.url}/exports/events`, { headers: { Cookie: eve.cookie! } });
  const { value } = await stream.body!.getReader().read();
  expect(Buffer.from(value!).toString()).toMatch(/^data: [0-9a-f]{32}\n\n$/);
  await stream.body!.cancel().catch(() => {});
});

test('a messy file of 100,000 ids is added to a list, each once, and invalid ones are reported and kept for correction', async () => {
  const cal = visitor(api);
  await cal.signIn(await newUser(db));
  const path = (await cal.submit('/lists', { name: 'From a file' })).headers.get('location')!;
  const { rows } = await db.pool.query<{ id: number }>(
    'select property_id as id from parcels where fips = 33019 and retired_at is null limit 500',
  );
  const ids = rows.map(({ id }) => id);
  const lines = [...ids.map(id => `"${id}"`), '', '  ', ...ids, '3.3019E+12', '9007199254740993', 'APN'];
  for (let id = 3301990000000; lines.length < 100_400; id++) lines.push(String(id));
  const numbers = `\ufeff${lines.join('\r\n')}`;
  const told = (await cal.submit(path, { do: 'add', county: '', numbers })).text;
  expect(told).toContain(': 3.3019E+12, 9007199254740993, APN, 33019');
  expect(told).toMatch(/\b500 parcels .* [\d,]+ more\b.*[Ss]preadsheet/);
  expect(told).toMatch(/<textarea[^>]*>3\.3019E\+12\n9007199254740993\nAPN\n/);
  const again = (
    await cal.submit(path, { do: 'add', county: '33019', numbers: '"000007-000044-000000"\r\n' })
  ).text;
  expect(again).toMatch(/\b1 (parcel|already)\b/);
  const empty = (await cal.submit('/lists', { name: 'By numbers' })).headers.get('location')!;
  // As a spreadsheet saves them, and as pages write them.
  const column = ['APN', '="000007 000018 000000"', "'000007 000019 000000", 'APN 7-20', '07-21-0', '7-9999'];
  expect(
    (await cal.submit(empty, { do: 'add', county: '33019', numbers: column.join('\r\n') })).text,
  ).toMatch(/\b4 parcels [^<]*: 7-9999\./);
  const many = Array.from({ length: 100_001 }, (_, n) => n + 1).join('\n');
  expect((await cal.submit(path, { do: 'add', county: '', numbers: many })).text).toContain('100,001');
});
