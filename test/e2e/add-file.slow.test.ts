import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, insertRegions } from '../support/ingest.ts';
import { formOf, newUser, visitor } from '../support/visitor.ts';
import { eventually, startTestWorker, workerConfig } from '../support/workers.ts';
import { makeZip } from '../unit/formats/make.ts';
import { text, workbook } from '../unit/formats/workbook.ts';

/** Files uploaded at /admin: 25 parcels of Bangor, Maine, as a zipped shapefile, and what is none. */

const db = await createTestDatabase();
const { folder, pool } = db;
const platDir = join(folder, 'plat');
const uploads = join(platDir, 'uploads');
const feeds = join(folder, 'feeds');
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: platDir, UPLOAD_MAX_MB: '1' } });
const BANGOR = readFileSync(join(rootDir, 'test/fixtures/feeds/formats/bangor-parcels.zip'));
let operator: ReturnType<typeof visitor>;

beforeAll(async () => {
  await insertRegions(pool, [{ type: 'county', code: '23019', state: 'ME', fips: 23_019 }]);
  operator = visitor(api);
  await operator.signIn(await newUser(db, { operator: true }));
});

const worker = (env: Record<string, string> = {}) =>
  startTestWorker(workerConfig(db, 'postgres', { FEEDS_DIR: feeds, PLAT_DIR: platDir, ...env }), allJobs);

const OWN = { 'Sec-Fetch-Site': 'same-origin' };

async function upload(
  bytes: Buffer | string,
  name: string,
  { as = operator, headers = { ...OWN, Origin: api.url } as Record<string, string> } = {},
) {
  const body = new FormData();
  body.append('file', new Blob([bytes as BlobPart]), name);
  const response = await fetch(`${api.url}/admin/files`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...headers, Cookie: as.cookie! },
    body,
  });
  return { status: response.status, page: response.headers.get('location')!, text: await response.text() };
}

/** The page of a job once it, and the run that it asked for, are over. */
async function settled(page: string): Promise<string> {
  await eventually(async () => {
    const { rows } = await pool.query(
      "select 1 from jobs where status in ('queued', 'running') and name in ('feeds.add_file', 'ingest.run')",
    );
    return rows.length === 0;
  });
  const { text, status } = await operator.open(page);
  expect(status).toBe(200);
  expect(text).not.toContain('data-open');
  return text;
}

async function send(page: string, fields: Record<string, string>): Promise<{ page: string; text: string }> {
  const { status, headers } = await operator.submit(page, fields);
  expect(status).toBe(303);
  const next = headers.get('location')!;
  return { page: next, text: await settled(next) };
}

test("only operators can upload, and only from Plat's own pages", async () => {
  const customer = visitor(api);
  await customer.signIn(await newUser(db));
  expect((await customer.open('/admin/files')).status).toBe(404);
  expect((await upload(BANGOR, 'a.zip', { as: customer })).status).toBe(404);
  const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  expect((await upload(BANGOR, 'a.zip', { headers: foreign })).status).toBe(403);
  expect(existsSync(uploads)).toBe(false);
});

test('an empty, oversized, or missing file is refused with the reason, and leaves nothing behind', async () => {
  expect(await upload('', 'empty.csv')).toMatchObject({
    status: 400,
    text: expect.stringMatching(/file/),
  });
  expect(await upload(Buffer.alloc(2 ** 20 + 1, 'a'), 'large.csv')).toMatchObject({
    status: 400,
    text: expect.stringMatching(/large\.csv .*\b1 MB \(UPLOAD_MAX_MB\)/),
  });
  const { status } = await operator.submit('/admin/files', { file: 'no file' });
  expect(status).toBe(400);
  // Ends before its boundary does.
  const cut = await fetch(`${api.url}/admin/files`, {
    method: 'POST',
    headers: {
      ...OWN,
      Origin: api.url,
      Cookie: operator.cookie!,
      'Content-Type': 'multipart/form-data; boundary=x',
    },
    body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\r\n1,',
  });
  expect(cut.status).toBe(400);
  expect(readdirSync(uploads)).toEqual([]);
});

test("the browser's file name never becomes a path; uploads without a feed are deleted after a day", async () => {
  const ids: string[] = [];
  for (const name of [
    '../../../evil.yaml',
    '..\\..\\evil.csv',
    '/etc/cron.d/x.csv.gz',
    'a/.././b.CSV',
    '.htaccess',
    'x.<b>',
  ])
    ids.push((await upload('a,b\n1,2\n', name)).page);
  const stored = readdirSync(uploads, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.includes('/'),
  );
  expect(stored.map(path => path.split('/')[1]).sort()).toEqual([
    'upload',
    'upload.csv',
    'upload.csv',
    'upload.csv.gz',
    'upload.htaccess',
    'upload.yaml',
  ]);
  expect(existsSync(join(folder, 'evil.yaml'))).toBe(false);
  const [first, second] = readdirSync(uploads);
  writeFileSync(join(uploads, second!, 'feed.yaml'), '');
  for (const id of [first!, second!]) utimesSync(join(uploads, id), 0, 0);
  await upload('a,b\n', 'c.csv');
  expect(readdirSync(uploads)).not.toContain(first);
  expect(readdirSync(uploads)).toContain(second);
  await worker();
  await settled(ids[0]!);
}, 120_000);

test("a roll's feed is suggested, corrected, checked, written, and loaded as corrected", async () => {
  await worker();
  const sent = await upload(BANGOR, 'Bangor_Parcels 2013.zip');
  expect(sent.status).toBe(303);
  const text = await settled(sent.page);
  expect(text).toMatch(/class="notice good"(?:(?!<\/p>).)*\b25\s/s);
  expect(text).toContain('value="write"');
  expect(text).toMatch(/name="key".*\b\d+% sure/s);
  const fields = formOf(text);
  expect(fields).toMatchObject({ name: 'bangor-parcels-2013', county: 'Penobscot, ME' });
  const wasAcres = fields['column.acres'];
  expect(JSON.parse(wasAcres!)).toEqual([expect.stringMatching(/acres/i)]);

  // Another name, no acres, and a subdivision from a column that nobody would take for one.
  const key = fields.key!;
  const checked = await send(sent.page, {
    ...fields,
    name: 'bangor',
    county: '23019',
    'column.acres': '',
    'column.subdivision': key,
    do: 'check',
  });
  expect(checked.text).toMatch(/class="notice good"(?:(?!<\/p>).)*\b25\s/s);
  expect(checked.text).toMatch(/\b25 rows\b[^<]*\b0\b[^<]*\b25\b[^<]*boundary/);
  expect(checked.text).toContain('# 100%: ');
  expect(formOf(checked.text)).toMatchObject({ 'column.acres': '', 'column.subdivision': key });
  expect(existsSync(feeds)).toBe(false);

  const wrong = await operator.submit(checked.page, {
    ...formOf(checked.text),
    county: 'Nowhere',
    do: 'write',
  });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('“Nowhere”')]);

  const written = await send(checked.page, { ...formOf(checked.text), do: 'write' });
  expect(written.text).toMatch(/class="notice good".*bangor[^<]*\/bangor\.yaml.*href="\/admin\/runs\/\d+"/s);
  expect(readFileSync(join(feeds, 'bangor.yaml'), 'utf8')).toMatch(
    /^# yaml-language-server.*\n# .*\/admin.* Bangor_Parcels 2013\.zip\b[\s\S]*source: \S*uploads\/[\w-]+\/upload\.zip/,
  );
  expect(
    await all(
      pool,
      'select count(*)::int as parcels, count(subdivision)::int as named, bool_and(subdivision = apn) as same from parcels',
    ),
  ).toEqual([{ parcels: 25, named: 25, same: true }]);

  // Its name is taken now, and the upload stays.
  const again = await upload(BANGOR, 'Bangor.zip');
  expect(await settled(again.page)).toMatch(/role="alert".*bangor\.yaml/s);

  // Under a name of its own it does not load the same parcels twice: the operator decides.
  const second = await upload(BANGOR, 'Bangor 2014.zip');
  const suggested = await settled(second.page);
  expect(suggested).toMatch(
    /data-loaded="bangor".*<li>Feed bangor has 25 parcels [^<]*\b25\b[^<]*\b25 rows\b/s,
  );
  expect(suggested).not.toContain('value="write"');
  const blocked = await send(second.page, { ...formOf(suggested), do: 'write' });
  expect(blocked.text).toMatch(/<li>Feed bangor has 25 parcels [^<]*\b25\b/);
  const loaded = () =>
    all(
      pool,
      'select f.name, count(*)::int as parcels, count(acres)::int as acres from parcels p join feeds f on f.id = p.feed_id group by 1',
    );
  expect(await loaded()).toEqual([{ name: 'bangor', parcels: 25, acres: 0 }]);
  expect((await operator.submit(blocked.page, { overlap: 'twice' })).status).toBe(400);
  const replaced = await send(blocked.page, { overlap: 'replace' });
  expect(replaced.text).toContain('class="notice good"');
  expect(await loaded()).toEqual([{ name: 'bangor-2014', parcels: 25, acres: 25 }]);
  expect(readFileSync(join(feeds, 'bangor-2014.yaml'), 'utf8')).toMatch(/^overlap: replace$/m);

  // The choice may be made before the run, with what is corrected in the same form.
  const third = await upload(BANGOR, 'Bangor 2015.zip');
  const form = formOf(await settled(third.page));
  const chosen = await send(third.page, { ...form, name: 'bangor-corrected', overlap: 'update' });
  expect(chosen.text).toContain('class="notice good"');
  expect(await loaded()).toEqual([{ name: 'bangor-corrected', parcels: 25, acres: 25 }]);
}, 240_000);

test('the form says what a table lacks, and lets the operator enter it', async () => {
  await worker();
  const rows = Array.from({ length: 20 }, (_, i) => `M-${i},SMITH JOHN ${i},${i + 1}.5,${i} MAIN ST`);
  const table = `PARCEL_ID,OWNER,ACRES,LOCATION\n${rows.join('\n')}\n`;
  const zipped = await upload(makeZip({ 'roll.csv': table }), 'roll.zip');
  expect(await settled(zipped.page)).toMatch(/role="alert".*<li>roll: [^<]*county/s);
  const sent = await upload(table, 'roll.csv');
  const text = await settled(sent.page);
  expect(text).toMatch(/role="alert".*<li>roll: [^<]*county/s);
  expect(text).toMatch(/name="county"/);
  expect(text).not.toContain('value="write"');
  const given = await send(sent.page, { ...formOf(text), county: 'Penobscot ME', do: 'check' });
  expect(given.text).toMatch(/20 rows read/);
  expect(formOf(given.text)).toMatchObject({ county: 'Penobscot, ME', 'column.owner_name': '["OWNER"]' });
}, 120_000);

test("the meaning of a column's values is chosen in the form, and the run follows it", async () => {
  await worker();
  const uses = ['VAC', 'RES', 'COM'];
  const rows = Array.from({ length: 21 }, (_, i) => `V-${i},DOE JOHN ${i},${uses[i % 3]}`);
  const sent = await upload(`PARCEL_ID,OWNER,USE_CD\n${rows.join('\n')}\n`, 'uses.csv');
  const fields = { ...formOf(await settled(sent.page)), county: 'Penobscot ME' };
  const asked = await send(sent.page, { ...fields, 'column.vacant': '["USE_CD"]', do: 'check' });
  const list = formOf(asked.text);
  expect(list).toMatchObject({
    'values-of.vacant': 'USE_CD',
    'value.vacant.VAC': '',
    'value.vacant.RES': '',
    'value.vacant.COM': '',
    'otherwise.vacant': '',
  });
  const chosen = {
    ...list,
    'value.vacant.VAC': 'true',
    'value.vacant.RES': 'false',
    'column.land_use_code': '["USE_CD"]',
    do: 'check',
  };
  const checked = await send(asked.page, chosen);
  expect(formOf(checked.text)).toMatchObject({
    'value.vacant.VAC': 'true',
    'value.vacant.RES': 'false',
    'value.vacant.COM': '',
    'value.land_use_code.VAC': '',
  });
  // A form that is refused keeps what was chosen.
  const wrong = await operator.submit(checked.page, {
    ...formOf(checked.text),
    county: 'Nowhere',
    'value.vacant.COM': 'false',
  });
  expect([wrong.status, formOf(wrong.text)['value.vacant.COM']]).toEqual([400, 'false']);
  await send(checked.page, {
    ...formOf(checked.text),
    'value.land_use_code.VAC': 'Vacant land',
    do: 'write',
  });
  expect(readFileSync(join(feeds, 'uses.yaml'), 'utf8')).toMatch(/^ {4}vacant: \{ column: USE_CD, values: /m);
  const read = `select land_use_code as use, vacant, count(*)::int as parcels from parcels p join feeds f on f.id = p.feed_id
    where f.name = 'uses' group by 1, 2 order by 1`;
  expect(await all(pool, read)).toEqual([
    { use: 'COM', vacant: null, parcels: 7 },
    { use: 'RES', vacant: false, parcels: 7 },
    { use: 'Vacant land', vacant: true, parcels: 7 },
  ]);
}, 120_000);

test('a damaged or unrecognized file leads to a message, and can be read another way', async () => {
  await worker();
  const damaged = await upload(BANGOR.subarray(0, 900), 'parcels.zip');
  expect(await settled(damaged.page)).toMatch(/class="notice bad" role="alert">.*parcels\.zip /);
  const unnamed = await upload('{"apn":"1","owner":"A"}\n{"apn":"2","owner":"B"}\n', 'table');
  const told = await settled(unnamed.page);
  expect(told).toMatch(/\btable\b[^<]*format/);
  const { text } = await send(unnamed.page, { ...formOf(told), format: 'ndjson', do: 'check' });
  expect(text).toContain('name="key"');
  const noise = await upload(
    Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 256)),
    'noise.xlsx',
  );
  expect(await settled(noise.page)).toMatch(/role="alert">.*noise\.xlsx [^<]*\.xlsx/);
  expect((await operator.open('/admin/files/0c9f3a1f-6a52-4d0e-9b60-0c9f3a1f7f11')).status).toBe(404);
}, 240_000);

test("if the feed can't be written, the page says so and shows it, and the upload is kept", async () => {
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, 'kept.yaml.new'), { recursive: true });
  await worker({ FEEDS_DIR: taken });
  const sent = await upload(BANGOR, 'kept.zip');
  const { text } = await send(sent.page, { ...formOf(await settled(sent.page)), do: 'write' });
  expect(text).toMatch(/kept\.yaml [^<]*\(\w*EISDIR\)/);
  expect(text).toMatch(/<details open.*<pre[^>]*># yaml-language-server.*name: kept/s);
  const kept = readdirSync(uploads).filter(id => existsSync(join(uploads, id, 'feed.yaml')));
  expect(kept.map(id => readFileSync(join(uploads, id, 'feed.yaml'), 'utf8'))).toContainEqual(
    expect.stringContaining('name: kept'),
  );
}, 120_000);

test('one of several sheets, or files in a ZIP, is chosen from a list', async () => {
  const rows = (prefix: string) => [
    [text('PARCEL_ID'), text('OWNER')],
    ...Array.from({ length: 20 }, (_, i) => [text(`${prefix}-${i}`), text(`DOE JOHN ${i}`)]),
  ];
  await worker();
  const book = workbook({ 'Roll 2025': rows('25'), 'Roll 2026': rows('26'), Sheet3: [] });
  const first = await upload(book, 'rolls.xlsx');
  const asked = await settled(first.page);
  const optionsOf = (page: string, name: string) =>
    [
      ...(new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, 's').exec(page)?.[1] ?? '').matchAll(
        /value="([^"]*)"/g,
      ),
    ].map(([, value]) => value);
  expect(optionsOf(asked, 'layer')).toEqual(['Roll 2025', 'Roll 2026']);
  const chosen = await send(first.page, {
    ...formOf(asked),
    layer: 'Roll 2026',
    county: '23019',
    do: 'check',
  });
  expect(chosen.text).toContain('26-0');
  const csv = (id: string) => `PARCEL_ID,OWNER\n${id},DOE JOHN\n`;
  const zip = await upload(makeZip({ 'a.csv': csv('1'), 'b.csv': csv('2') }), 'two.csv.zip');
  expect(optionsOf(await settled(zip.page), 'member')).toEqual(['a.csv', 'b.csv']);
});
