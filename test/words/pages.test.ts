import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { eventually } from '../support/workers.ts';

/**
 * What people read on pages where they have to act, and in mails. Other tests find parts of a page by names,
 * values, addresses and ids, so that a sentence is reworded in its source and here.
 */
const db = await createTestDatabase({}, { sample: true });
const PLAT_DIR = testFolder();
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR, APP_URL: 'https://plat.example' } });
const user = await newUser(db);
const ana = visitor(api);
await ana.signIn(user);

/** As it is read: tags are no words. */
const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
const read = async (path: string) => wordsOf((await ana.open(path)).text);

describe('an empty page says what belongs there', () => {
  test.each([
    ['/lists', 'No lists yet'],
    ['/searches', 'No saved searches yet'],
    ['/exports', 'No files yet'],
    ['/comping', 'No reports yet'],
    ['/markets', 'No saved markets yet'],
    ['/account', 'No tokens used in this period.'],
    ['/data', 'Enter a county above, draw an area on the map, or start with one of these'],
    ['/search?q=no%20such%20thing', 'No results for “no such thing”.'],
    ['/coverage/23019', 'No parcels are loaded for Penobscot, ME.'],
  ])('%s', async (path, words) => expect(await read(path)).toContain(words));
});

describe('invalid searches', () => {
  test.each([
    ['/data?county=Essex', /“Essex” could be Essex, MA; Essex, NJ; .*\. Add the state\./],
    ['/data?county=Sulivan, NH', /No county is named “Sulivan, NH”\. Did you mean Sullivan, NH\?/],
    ['/data?county=33019&acres_min=1&wetlands_percent_max=2', /No wetlands data for Sullivan, NH/],
  ])('%s', async (path, words) => expect(await read(encodeURI(path))).toMatch(words));

  test('an invalid form names its field', async () => {
    const refusals: [Record<string, string>, string][] = [
      [{ do: 'add webhook', url: 'http://example.com', type: 'parcel.new' }, 'URL: must start with https://'],
      [{ do: 'end session', id: 'x' }, 'the id of a session'],
    ];
    for (const [fields, words] of refusals) {
      const { status, text } = await ana.submit('/account', fields);
      expect([status, wordsOf(text)]).toEqual([400, expect.stringContaining(words)]);
    }
    expect(wordsOf((await ana.submit('/lists/add', { chosen: 'true', list: '', name: '' })).text)).toContain(
      'No parcels are selected. Go back to the map and select some.',
    );
  });
});

describe('emails', () => {
  const stranger = visitor(api);
  test('a sign-in link', async () => {
    await stranger.submit('/sign-in', { email: user.email, how: 'link' });
    expect(await mailWith('Your sign-in link for Plat')).toContain('Use this link to sign in to Plat:');
  });

  test('a new password', async () => {
    await stranger.submit('/sign-in/reset', { email: user.email });
    expect(await mailWith('Set a new password for Plat')).toContain(
      "If you didn't expect this email, ignore it.",
    );
  });

  test('an invitation', async () => {
    await ana.submit('/account', { do: 'invite', email: 'colleague@acme.example' });
    expect(await mailWith("You're invited to Plat")).toContain('To: colleague@acme.example');
  });

  /** The mail in the outbox with this subject, once it is there. */
  const mailWith = (subject: string) =>
    eventually(async () => {
      const outbox = join(PLAT_DIR, 'outbox');
      if (!existsSync(outbox)) return undefined;
      return readdirSync(outbox)
        .map(file => readFileSync(join(outbox, file), 'utf8'))
        .find(mail => mail.includes(`Subject: ${subject}`));
    });
});
