import { beforeAll, describe, expect, test } from 'vitest';
import type { Update as Told } from '../../api/pages/comping/comping-filter.ts';
import { createKey } from '../../shared/accounts/accounts.ts';
import type { Result } from '../../shared/comping/comp-report-result.ts';
import { day, usd } from '../../shared/model/figures.ts';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { dealCalls, doDealJobs } from '../support/deals.ts';
import { listsOf } from '../support/lists.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const V1 = '/api/public/v1';
const FIPS = 33_019;
const PARCEL = 3301900001047;
/** A parcel with a sale of its own among its comps. */
const OWN_SALE = 3301900000073;

let ana: Awaited<ReturnType<typeof newUser>>;
let key: string;
const [window1, window2] = [visitor(api), visitor(api)];

beforeAll(async () => {
  ana = await newUser(db);
  key = (await createKey(db.pool, ana.accountId, { name: 'x', scopes: ['api:direct'] })).key;
  await window1.signIn(ana);
  await window2.signIn(ana);
});

type Update = Told & { result: Result };

/** A prepared report, without comps unless it `keeps` those of Plat. @returns its path */
async function newReport(property_id = PARCEL, { keeps = false } = {}): Promise<string> {
  const { json, status } = await api.call(
    `${V1}/comp-reports/`,
    posting(key, JSON.stringify({ property_id })),
  );
  expect(status).toBe(201);
  await prepareCounty(db.pool, FIPS, new AbortController().signal);
  const { report_id, url } = json as { report_id: string; url: string };
  if (!keeps) await db.pool.query('delete from comp_report_comps where report_id = $1', [report_id]);
  return new URL(url).pathname;
}

const JSON_ONLY = { Accept: 'application/json' };
const change = async (path: string, fields: Record<string, string>, by = window1): Promise<Update> =>
  JSON.parse((await by.submit(path, fields, JSON_ONLY)).text);
const candidatesOf = async (path: string) =>
  (JSON.parse((await window1.open(`${path}/comps.json`)).text) as { comps: { id: string; status: string }[] })
    .comps;

/** Columns of numbers in a table of ours; an empty one is null. */
function percentagesOf(table: string, names: string[]): (number | null)[][] {
  const [heads, ...lines] = table
    .replace('\ufeff', '')
    .trim()
    .split('\r\n')
    .map(line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field]) => field!));
  return lines.map(fields =>
    names.map(name => {
      const field = fields[heads!.indexOf(name)]!;
      return field === '' ? null : Number(field);
    }),
  );
}

describe('POST comp-reports/', () => {
  test('every call creates its own report; the same Idempotency-Key creates one', async () => {
    const post = (headers = {}) =>
      api.call(`${V1}/comp-reports/`, {
        ...posting(key, JSON.stringify({ property_id: PARCEL })),
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    const [one, two] = [await post(), await post()];
    expect(one.headers.get('x-tokens-used')).toBe('0');
    expect(one.json).not.toEqual(two.json);
    const { report_id, url } = one.json as { report_id: string; url: string };
    expect(url).toBe(`${api.url}/comping/${report_id}`);
    expect(one.headers.get('location')).toBe(url);
    const again = { 'Idempotency-Key': 'k1' };
    expect((await post(again)).json).toEqual((await post(again)).json);
  });

  test.each([
    [{ property_id: 'x' }, 400],
    [{}, 400],
    [{ property_id: 1.5 }, 400],
    [{ property_id: PARCEL, title: 'x' }, 400],
    [{ property_id: 3301999999999 }, 400],
    [{ property_id: 1 }, 400],
    [{ property_id: Number.MAX_SAFE_INTEGER }, 400],
  ])('%j is answered %i', async (body, status) => {
    const reply = await api.call(`${V1}/comp-reports/`, posting(key, JSON.stringify(body)));
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ error: { code: 'validation_error', details: expect.any(Object) } });
  });
});

// A large lot, the least and the middle ones of the roll.
test.each([PARCEL, 3301900000010, 3301900000400, 3301900000800, 3301900001600])(
  "parcel %i: the model's comps say what ai-comp-value/?explain=true says, to the cent",
  async parcel => {
    const { json } = await api.call(`${V1}/properties/${parcel}/ai-comp-value/?explain=true`, { key });
    const value = json as Record<string, number> & {
      explanation: Record<string, number> & { comps: (Record<string, number> & { id: string })[] };
    };
    const path = await newReport(parcel);
    const { result } = await change(path, { do: 'model' });
    // A mean can end in half a cent.
    const cents = (figure: number) => expect.closeTo(figure, 1);
    const { estimate } = result;
    expect({
      mean_price: value.mean_price,
      mean_ppa: value.mean_ppa,
      mean_adjusted_price: value.mean_adjusted_price,
      mean_adjusted_ppa: value.mean_adjusted_ppa,
      low_price: value.explanation.low_price,
      high_price: value.explanation.high_price,
    }).toEqual({
      mean_price: cents(estimate.meanPrice),
      mean_ppa: cents(estimate.meanPpa),
      mean_adjusted_price: cents(estimate.meanAdjustedPrice),
      mean_adjusted_ppa: cents(estimate.meanAdjustedPpa),
      low_price: cents(estimate.low),
      high_price: cents(estimate.high),
    });
    // Stored as single floats.
    expect(estimate.gini).toBeCloseTo(value.gini_index!, 1);
    expect(estimate.confidence).toBeCloseTo(value.confidence_score!, 1);
    expect(result.lines.map(({ comp }) => comp.id)).toEqual(value.explanation.comps.map(({ id }) => id));
    const names = ['size', 'time', 'location', 'asking', 'land'].map(name => `${name}_percent`);
    const page = await window1.open(path);
    expect(page.text).toContain(usd(value.mean_price!));
    const { text } = await window1.open(`${path}/comps.csv`);
    expect(percentagesOf(text, [...names, 'weight_percent'])).toEqual(
      value.explanation.comps.map(comp => [
        ...names.map(name => comp[name]),
        Math.round(1e4 * comp.weight!) / 100,
      ]),
    );
  },
);

describe('a report', () => {
  test("is visible to users of its account only, and to nobody who isn't signed in", async () => {
    const path = await newReport();
    expect((await window1.open(path)).status).toBe(200);
    const eve = visitor(api);
    expect((await eve.open(path)).headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`);
    await eve.signIn(await newUser(db));
    for (const one of [path, `${path}/comps.json`, `${path}/comps.csv`])
      expect((await eve.open(one)).status).toBe(404);
    expect((await eve.submit(path, { do: 'delete' })).status).toBe(404);
    expect((await window1.open('/comping')).text).toContain(path);
    expect((await eve.open('/comping')).text).not.toContain(path);
  });

  test('the link of a new report leads through sign-in to it', async () => {
    const path = await newReport();
    const answer = await visitor(api).signIn(ana, path);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
  });

  test("starts with Plat's comps, and a comp that was removed stays removed when the data changes", async () => {
    const path = await newReport(OWN_SALE, { keeps: true });
    const read = async () => JSON.parse((await window1.open(path, JSON_ONLY)).text) as Update;
    const { chosen, result } = await read();
    expect(chosen.length).toBeGreaterThan(2);
    const { result: machine } = await change(path, { do: 'model' });
    expect(result).toEqual(machine);
    expect((await read()).chosen.toSorted()).toEqual(chosen.toSorted());
    await change(path, { do: 'remove', comp: chosen[0]! });
    await db.pool.query('update comp_reports set wanted_at = now() where id = $1', [
      path.slice('/comping/'.length),
    ]);
    await prepareCounty(db.pool, FIPS, new AbortController().signal);
    await change(path, { do: 'accept' });
    expect((await read()).chosen.toSorted()).toEqual(chosen.slice(1).toSorted());
  });

  test('two windows: selections and removals are merged, even from forms opened earlier', async () => {
    const path = await newReport();
    const [a, b, c] = (await candidatesOf(path)).map(({ id }) => id);
    // At the same time.
    await Promise.all([
      change(path, { do: 'add', comp: a! }),
      change(path, { do: 'add', comp: b! }, window2),
    ]);
    const together = JSON.parse((await window1.open(path, JSON_ONLY)).text) as Update;
    expect(together.chosen.toSorted()).toEqual([a!, b!].toSorted());
    expect(together.version).toBe(3);
    // Without script: this page was opened when a alone was chosen, and c is ticked in place of it.
    await window1.submit(path, { do: 'select', was: a!, comp: c! });
    const { text } = await window2.open(path, JSON_ONLY);
    expect((JSON.parse(text) as Update).chosen.toSorted()).toEqual([b!, c!].toSorted());
  });

  test('two windows: a text that somebody else has written since is not overwritten silently', async () => {
    const path = await newReport();
    await change(path, { do: 'text', title: 'Mine', was_title: '', notes: 'one', was_notes: '' });
    const late = await change(
      path,
      { do: 'text', title: 'Theirs', was_title: '', notes: 'one', was_notes: '' },
      window2,
    );
    expect([late.conflict, late.title]).toEqual([{ title: 'Mine' }, 'Mine']);
    const page = await window2.submit(path, {
      do: 'text',
      title: 'Theirs',
      was_title: '',
      notes: 'one',
      was_notes: '',
    });
    expect(page.text).toContain('“Mine”');
    const seen = await change(
      path,
      { do: 'text', title: 'Theirs', was_title: 'Mine', notes: 'one', was_notes: 'one' },
      window2,
    );
    expect([seen.conflict, seen.title]).toEqual([undefined, 'Theirs']);
  });

  test('an adjustment is overridden with a reason, changes the figures by exactly that, and can be reset', async () => {
    const path = await newReport();
    const before = await change(path, { do: 'model' });
    const { comp, weight, adjustments } = before.result.lines[0]!;
    const fields = { do: 'override', comp: comp.id, adjustment: 'size', percent: '-10 %', reason: '=swampy' };
    const after = await change(path, fields);
    const ofComps = 1 - before.result.estimate.neighborhood!.weight;
    const expected = ofComps * weight * (Math.log(0.9) - Math.log1p(adjustments.size.model! / 100));
    const ratio = after.result.estimate.meanAdjustedPpa / before.result.estimate.meanAdjustedPpa;
    // The model's percentage is told in steps of 0.02 %.
    expect(Math.log(ratio)).toBeCloseTo(expected, 4);
    expect(after.html).toContain('=swampy');
    expect((await window1.open(`${path}/comps.csv`)).text).toContain(",-10,'=swampy,");
    const refused = await window1.submit(path, { ...fields, reason: ' ' }, JSON_ONLY);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('reason')]);
    expect((await window1.submit(path, { ...fields, percent: 'much' })).text).toMatch(/-95\b.*\b1000\b/);
    const back = await change(path, { do: 'restore', comp: comp.id, adjustment: 'size' });
    expect(back.result).toEqual(before.result);
  });

  test('keeps its figures, lists what has changed since, and updates on request', async () => {
    const path = await newReport();
    const { result } = await change(path, { do: 'model' });
    const { comp } = result.lines[0]!;
    await db.pool.query('update listings set price = price * 2 where id = $1', [comp.id]);
    await change(path, { do: 'look' }).catch(() => undefined);
    await prepareCounty(db.pool, FIPS, new AbortController().signal);
    const { text } = await window1.open(path);
    expect(text).toContain('value="accept"');
    expect(text).toMatch(/estimate: \$[\d,]+ → \$[\d,]+/);
    const kept = JSON.parse((await window1.open(path, JSON_ONLY)).text) as Update;
    expect(kept.result).toEqual(result);
    await window1.submit(path, { do: 'accept' });
    const now = JSON.parse((await window1.open(path, JSON_ONLY)).text) as Update;
    expect(now.result.lines.find(line => line.comp.id === comp.id)?.comp.price).toBe(2 * comp.price);
    expect((await window1.open(path)).text).not.toContain('value="accept"');
    await db.pool.query('update listings set price = price / 2 where id = $1', [comp.id]);
  });

  test('anybody can read it through its link, until the link expires or is revoked', async () => {
    const path = await newReport();
    await change(path, { do: 'model' });
    const shared = /\/comping\/shared\/[\w-]{43}/;
    for (const wrong of [{ do: 'share', days: '8' }, { do: 'share' }, { do: 'sahre', days: '7' }] as Record<
      string,
      string
    >[]) {
      const refused = await window1.submit(path, wrong);
      expect(refused.status).toBe(400);
      expect(refused.text).not.toMatch(shared);
    }
    const link = shared.exec((await window1.submit(path, { do: 'share', days: '7' })).text)![0];
    const { text, status } = await visitor(api).open(link);
    expect(status).toBe(200);
    expect(text.slice(text.indexOf('<main'))).not.toMatch(/<form|<script|name="do"/);
    for (const window of [window1, window2]) expect((await window.open(path)).text).toContain(link);
    await db.pool.query(
      "update comp_reports set share_expires_at = now() - interval '1 second' where share_hash is not null",
    );
    expect((await visitor(api).open(link)).status).toBe(404);
    expect((await window1.open(path)).text).not.toMatch(shared);
    const other = shared.exec((await window1.submit(path, { do: 'share', days: '7' })).text)![0];
    expect((await visitor(api).open(other)).status).toBe(200);
    await window1.submit(path, { do: 'unshare' });
    expect((await visitor(api).open(other)).status).toBe(404);
    expect((await window1.open(path)).text).not.toMatch(shared);
    const { link: copied } = await change(path, { do: 'share', days: '30' });
    expect((await visitor(api).open(new URL(copied!, api.url).pathname)).status).toBe(200);
  });

  test('explains its date adjustments: which way prices went, by how many sales, and what else differs', async () => {
    const path = await newReport();
    await change(path, { do: 'model' });
    const told = async (trend: object) => {
      await db.pool.query(
        "update comp_reports set snapshot = (snapshot::jsonb || jsonb_build_object('trend', $2::jsonb))::json where id = $1",
        [path.slice('/comping/'.length), JSON.stringify(trend)],
      );
      const { text } = await window1.open(path);
      return /id="trend"[^>]*>(.*?)<\/p>/s
        .exec(text)?.[1]
        ?.replace(/<[^>]+>/g, '')
        .replaceAll('&#39;', "'");
    };
    const real = /id="trend"[^>]*>.*?based on (\d+) sales in Sullivan, NH since (20\d\d)/s.exec(
      (await window1.open(path)).text,
    );
    expect(Number(real![1])).toBeGreaterThan(100);
    const [down, up] = [Math.log(0.979), Math.log(1.032)];
    expect(await told({ yearly: down, lag: 0, sales: 214, since: 2015 })).toMatch(
      /\b2\.1%.*\b214 sales in Sullivan, NH since 2015\b.*\bdown\b/,
    );
    expect(await told({ yearly: up, lag: Math.log(1.05), sales: 12, since: 2019 })).toMatch(
      /\b3\.2%.*\b12 sales in Sullivan, NH since 2019\b.*\bup\b.*\b5%.*\bdown\b/,
    );
    expect(await told({ yearly: 0.001, lag: 0, sales: 0, since: null })).toMatch(
      /^[^\d%]*Sullivan, NH[^\d%]*$/,
    );
  });

  test('shows why an estimate needs review, with the same reasons as lists and deals', async () => {
    const { rows } = await db.pool.query<{ id: number }>(
      `select property_id as id from parcels p join valuations v using (fips, property_id)
       where fips = 33019 and land_use_code = 'EXEMPT-MUNIC' and high_price < 9 * low_price order by 1 limit 1`,
    );
    const { id } = rows[0]!;
    const path = await newReport(id);
    const [problems] = /(?<=data-problems=")[^"]+/.exec((await window1.open(path)).text)!;
    expect(problems).toBe('exempt out_of_support');
    const { make, add, rows: rowsOf } = listsOf(api, key);
    const list = await make({ offer: { percent: 50 } });
    await add(list.id, { property_ids: [id] });
    expect((await rowsOf(list.id)).results[0]!.needs_review).toEqual(problems!.split(' '));
    const { added, list: deals } = dealCalls(api);
    await added(key, { property_id: id, price: '20000' });
    await doDealJobs(db.pool);
    expect((await deals(key))[0]!.advice).toMatchObject({
      action: expect.stringMatching(/hold|relist/),
      price: null,
      valuation_problems: problems!.split(' '),
    });
  });

  test('names its author: whoever started it, or else the account', async () => {
    const withKey = await newReport();
    const { headers } = await window1.submit('/comping', { property_id: String(PARCEL) });
    const begun = headers.get('location')!;
    await prepareCounty(db.pool, FIPS, new AbortController().signal);
    const made = new RegExp(`Created by Ana, [^<]+ on ${day(new Date())}`);
    for (const path of [withKey, begun]) {
      await change(path, { do: 'model' });
      expect((await window1.open(path)).text).toMatch(made);
    }
    const kept = 'select user_id from comp_reports where id = any ($1) order by created_at';
    const ids = [withKey, begun].map(path => path.slice('/comping/'.length));
    expect((await db.pool.query(kept, [ids])).rows).toEqual([{ user_id: null }, { user_id: ana.id }]);
  });

  test('compares at most 100 comps, and says so', async () => {
    const path = await newReport();
    const comps = await candidatesOf(path);
    const fields = new URLSearchParams([['do', 'add'], ...comps.slice(0, 101).map(({ id }) => ['comp', id])]);
    const refused = await fetch(api.url + path, {
      method: 'POST',
      headers: { ...JSON_ONLY, Cookie: window1.cookie!, Origin: api.url, 'Sec-Fetch-Site': 'same-origin' },
      body: fields,
    });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(/\b100 comps/)]);
    expect((JSON.parse((await window1.open(path, JSON_ONLY)).text) as Update).chosen).toEqual([]);
  });

  test('text from a feed is always text, never markup, a URL, or a formula', async () => {
    const path = await newReport();
    const [one] = await candidatesOf(path);
    await db.pool.query(
      `update listings set address = '=HYPERLINK("x")<script>', url = 'javascript:alert(1)', photos = '{javascript:alert(2)}' where id = $1`,
      [one!.id],
    );
    const other = await newReport();
    await change(other, { do: 'add', comp: one!.id });
    const { text } = await window1.open(other);
    expect(text).toContain('=HYPERLINK');
    expect(text).not.toMatch(/javascript:|<script>/);
    expect((await window1.open(`${other}/comps.csv`)).text).toContain(`"'=HYPERLINK(""x"")<script>"`);
  });

  test('a parcel without an acreage or comps says so', async () => {
    const { rows } = await db.pool.query<{ id: number }>(
      'update parcel_filters set effective_acres = null where property_id = (select min(property_id) from parcel_filters where fips = 33019 and location is not null) returning property_id as id',
    );
    const { text } = await window1.open(await newReport(rows[0]!.id));
    expect(text).toMatch(/acreage/);
  });
});
