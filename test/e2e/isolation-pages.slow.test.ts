import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { pages } from '../../api/pages/index.ts';
import { crawl, type Form } from '../fuzz/pages.ts';
import { startTestApi } from '../support/api.ts';
import { type Company, createCompany, rowsOf, type Things } from '../support/companies.ts';
import { createTestDatabase } from '../support/database.ts';
import { visitor } from '../support/visitor.ts';
import { ON_LOOPBACK } from '../support/webhooks.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true, env: { ...ON_LOOPBACK, PLAT_DIR: db.folder } });
const browser = visitor(api);

/** A parcel that both companies have in a list and on their deal board. */
const PARCEL = 3301900001047;

/** Pages that name nothing of a company: public ones, the operators', and those behind a secret path. */
const WITHOUT_THINGS = [
  /^\/(sign-in|sign-out|theme|docs|admin|coverage|oauth)\b/,
  /^\/(markets\/|data\/(drawing|card)\/|tiles\/|credits)/,
  /\/:token$/,
];

let ours: Company;
let theirs: Company;
let before: Record<string, string[]>;
let forms: Form[];
let links: string[];

/** Our ids and addresses replaced by theirs, or by ones that do not exist. */
const replaced = (text: string, by: Things) =>
  Object.entries(ours.things).reduce(
    (all, [kind, id]) =>
      all
        .replaceAll(id, by[kind as keyof Things])
        .replaceAll(encodeURIComponent(id), by[kind as keyof Things]),
    text,
  );

const named = (form: Form) =>
  replaced(form.action + JSON.stringify(form.fields), theirs.things) !==
  form.action + JSON.stringify(form.fields);

beforeAll(async () => {
  ours = await createCompany(db, api);
  theirs = await createCompany(db, api);
  await browser.signIn(ours.user);
  for (const company of [ours, theirs]) await brand(company);
  const things = ours.things;
  const start = [
    '/account',
    '/lists',
    '/searches',
    '/exports',
    '/deals',
    '/markets',
    `/data?parcel=${PARCEL}`,
    `/lists/${things.list}?row=${PARCEL}`,
    `/lists/${things.list}/calls`,
    `/lists/${things.list}/letter`,
    `/replies?q=${PARCEL}`,
    `/searches/${things.search}`,
    `/account/webhooks/${things.webhook}`,
    `/comping/${things.report}`,
    `/comping/${things.report}/comps.json`,
    `/comping/${things.report}/comps.csv`,
    `/deals/${things.deal}`,
    `/data?list_id=${things.list}&county=33019`,
  ];
  const site = await crawl(
    'session',
    start,
    async ({ target }) => {
      const { status, headers, text } = await browser.open(target);
      return { status, headers, text };
    },
    5,
  );
  forms = site.forms.filter(named);
  links = site.links.filter(link => replaced(link, theirs.things) !== link);
  before = await rowsOf(db, theirs);
});

const brand = ({ user, marker }: Company) =>
  db.pool.query(
    'insert into company_brands (company_id, address) select company_id, $2 from users where id = $1',
    [user.id, `address of ${marker}`],
  );

async function expectUntouched(what: string, text: string): Promise<void> {
  for (const id of Object.values(theirs.things)) text = text.replaceAll(id, 'ID');
  expect(text, what).not.toContain(theirs.marker);
  expect(await rowsOf(db, theirs), what).toEqual(before);
}

const ABSENT: Record<string, string> = { email: 'a@none.example', grant: 'ab'.repeat(32) };

const absent = () =>
  Object.fromEntries(Object.keys(theirs.things).map(kind => [kind, ABSENT[kind] ?? randomUUID()])) as Things;

test("the crawl reached every page about a company's things", () => {
  const met = [...links, ...forms.map(({ action }) => action)].map(link => link.split('?')[0]!);
  const missed = pages
    .filter(({ path }) => path.includes(':') && !WITHOUT_THINGS.some(pattern => pattern.test(path)))
    .filter(({ path }) => !met.some(link => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(link)))
    .map(({ path }) => path);
  expect(missed).toEqual([]);
});

test('the crawl reached the forms that end the access of people, sessions, and assistants', () => {
  const sent = forms.map(({ fields }) => JSON.stringify(fields));
  const { person, invitation, session, grant } = ours.things;
  for (const id of [person, invitation, session, grant])
    expect(sent.filter(fields => fields.includes(id))).toHaveLength(1);
});

test("another company's pages are not found", async () => {
  for (const link of links) {
    const foreign = await browser.open(replaced(link, theirs.things));
    const unknown = await browser.open(replaced(link, absent()));
    expect(foreign.status, link).toBe(unknown.status);
    if (!link.includes('?')) expect(foreign.status, link).toBe(404);
    await expectUntouched(link, foreign.text);
  }
});

test("pages about a parcel or the company show our things, and none of another company's", async () => {
  const card = await browser.open(`/data/card/${PARCEL}`);
  const replies = await browser.open(`/replies?q=${PARCEL}`);
  const calls = await browser.open(`/lists/${ours.things.list}/calls`);
  const brand = await browser.open('/account/brand');
  const deals = await browser.submit('/deals/add', { property_id: String(PARCEL) });
  for (const [what, { status, text }, own] of [
    ['card', card, '<header>'],
    ['replies', replies, `list of ${ours.marker}`],
    ['replies', replies, ours.things.list],
    ['calls', calls, `list of ${ours.marker}`],
    ['brand', brand, `address of ${ours.marker}`],
    ['deals', deals, ours.things.deal],
  ] as const) {
    expect(status, what).toBe(200);
    expect(text, what).toContain(own);
    for (const id of [theirs.marker, ...Object.values(theirs.things)]) expect(text, what).not.toContain(id);
  }
});

test("another company's call sheet takes no calls, and its letters no replies", async () => {
  const call = { property_id: String(PARCEL), outcome: 'do_not_call', number: '6035550101', note: 'ours' };
  const undo = { do: 'undo', property_id: String(PARCEL), was: 'new', at: new Date(0).toISOString() };
  for (const list of [theirs.things.list, randomUUID()]) {
    for (const fields of [call, undo]) {
      const { status, text } = await browser.submit(`/lists/${list}/calls`, fields);
      expect(status).toBe(404);
      await expectUntouched('calls', text);
    }
    const reply = { list_id: list, property_id: String(PARCEL), status: 'not_interested', note: 'ours' };
    const { status, text } = await browser.submit(`/replies?q=${PARCEL}`, reply);
    expect(status).toBeGreaterThanOrEqual(400);
    await expectUntouched('replies', text);
  }
});

test("forms with another company's ids change nothing there", async () => {
  expect(forms.length).toBeGreaterThan(15);
  for (const form of forms) {
    const what = `${form.method} ${form.action} ${form.fields.map(([name]) => name)}`;
    // A browser sends one of several buttons: each value once.
    const rounds = Math.max(1, ...form.fields.map(([, values]) => values.length));
    for (let round = 0; round < Math.min(rounds, 8); round++) {
      const send = async (things: Things) => {
        const fields = new URLSearchParams(
          form.fields.map(([name, values]): [string, string] => [
            name,
            replaced(values[round % values.length] ?? '', things),
          ]),
        );
        const action = replaced(form.action, things);
        return form.method === 'GET'
          ? browser.open(`${action.split('?')[0]}?${fields}`)
          : browser.submit(action, fields);
      };
      const foreign = await send(theirs.things);
      expect(foreign.status, what).toBeLessThan(500);
      expect(foreign.status, what).toBe((await send(absent())).status);
      await expectUntouched(what, foreign.text);
    }
  }
});
