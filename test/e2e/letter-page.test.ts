import { beforeEach, expect, test } from 'vitest';
import { referenceOf } from '../../shared/model/row-reference.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });

const IDS = [3301900000046, 3301900000047, 3301900000048, 3301900000049];

let ana: ReturnType<typeof visitor>;
let list: string;
beforeEach(async () => {
  ana = visitor(api);
  await ana.signIn(await newUser(db));
  list = (await ana.submit('/lists', { name: 'Mailing' })).headers.get('location')!;
  await ana.submit(list, { do: 'add', county: '', numbers: IDS.join('\n') });
  await db.pool.query('update list_rows set offer = 7300 + property_id % 10 where list_id = $1', [idOf()]);
  await setRead(IDS);
});

const idOf = () => list.split('/')[2]!;
const setRead = (ids: number[]) =>
  db.pool.query(
    'update list_rows set read_at = case when property_id = any ($2) then now() end where list_id = $1',
    [idOf(), ids],
  );
const saved = async () =>
  (await db.pool.query('select letter from lists where id = $1', [idOf()])).rows[0].letter;
const save = (letter: string) => ana.submit(`${list}/letter`, { letter });
const preview = async () =>
  [...(await ana.open(`${list}/letter`)).text.matchAll(/<article class="letter">(.*?)<\/article>/gs)].map(
    ([, text]) => text,
  );

test('the first three letters are shown as they are printed', async () => {
  expect((await save('Ref {reference}\r\n{offer} <b>')).status).toBe(303);
  expect(await saved()).toBe('Ref {reference}\n{offer} <b>');
  expect(await preview()).toEqual(
    IDS.slice(0, 3).map(id => `Ref ${referenceOf(id)}\n$7,30${id % 10} &lt;b>`),
  );
  await ana.submit(`${list}/letter`, { do: 'suggested', letter: 'x' });
  expect(await saved()).toBeNull();
  expect((await preview())[0]).toContain(referenceOf(IDS[0]!));
});

test('rows that are not paid for are not shown', async () => {
  await save('{reference}');
  await setRead([IDS[3]!]);
  expect(await preview()).toEqual([referenceOf(IDS[3]!)]);
  await setRead([]);
  const [example, ...more] = await preview();
  expect(more).toEqual([]);
  expect(IDS.map(referenceOf)).not.toContain(example);
});

test('an unknown field is refused by name, and the text is kept', async () => {
  const refused = await save('Dear {nobody}');
  expect(refused.status).toBe(400);
  expect(refused.text.match(/\{nobody\}/g)?.length).toBeGreaterThan(1);
  expect(await saved()).toBeNull();
});

test("another company's list has no letter", async () => {
  const bob = visitor(api);
  await bob.signIn(await newUser(db));
  expect((await bob.open(`${list}/letter`)).status).toBe(404);
  expect((await bob.submit(`${list}/letter`, { letter: 'mine' })).status).toBe(404);
  expect(await saved()).toBeNull();
  expect((await ana.open('/lists/nothing/letter')).status).toBe(404);
});

test('the list leads to its letter', async () => {
  expect((await ana.open(list)).text).toContain(`href="${list}/letter"`);
});

test('the letters are ordered like other files', async () => {
  const form = (await ana.open(`/exports?list_id=${idOf()}&kind=mail_pdf`)).text;
  expect(form).toContain(`href="${list}/letter"`);
  expect(form).not.toContain('name="preset"');
  const ordered = await ana.submit('/exports', {
    list_id: idOf(),
    kind: 'mail_pdf',
    asked: 'true',
    preset: 'lob',
  });
  expect(ordered.status).toBe(303);
  const { rows } = await db.pool.query("select request from exports where request->>'list_id' = $1", [
    idOf(),
  ]);
  expect(rows).toEqual([{ request: expect.objectContaining({ format: 'pdf', layout: 'mail' }) }]);
  expect(rows[0].request.preset).toBeUndefined();
});
