import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { sendRaw } from '../support/raw.ts';
import { newUser, visitor } from '../support/visitor.ts';

/** Files on their way to /admin/files: many at once, slow, too large, broken off. */

const db = await createTestDatabase();
const PLAT_DIR = join(db.folder, 'plat');
const uploads = join(PLAT_DIR, 'uploads');
const start = (env: Record<string, string> = {}) =>
  startTestApi(db, { pages: true, env: { PLAT_DIR, UPLOAD_MAX_MB: '1', ...env } });
const api = await start();
let cookie: string;

beforeAll(async () => {
  const operator = visitor(api);
  await operator.signIn(await newUser(db, { operator: true }));
  cookie = operator.cookie!;
});

const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
const TAIL = '\r\n--x--\r\n';

type Answer = { status: number; text: string; location: string | undefined };

/** A form that is being sent; its answer is read whenever it comes. */
function open(
  { url }: Pick<TestApi, 'url'>,
  headers: Record<string, string> = {},
): { sent: ClientRequest; answer: Promise<Answer> } {
  const sent = request(`${url}/admin/files`, {
    method: 'POST',
    agent: false,
    headers: {
      Origin: url,
      'Sec-Fetch-Site': 'same-origin',
      Cookie: cookie,
      'Content-Type': 'multipart/form-data; boundary=x',
      ...headers,
    },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject).once('response', async (response: IncomingMessage) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode!, text, location: response.headers.location });
    });
  });
  answer.catch(() => {});
  return { sent, answer };
}

function send(to: Pick<TestApi, 'url'>, content: Buffer | string, headers: Record<string, string> = {}) {
  const { sent, answer } = open(to, headers);
  sent.end(Buffer.concat([Buffer.from(HEAD), Buffer.from(content), Buffer.from(TAIL)]));
  return answer;
}

const AS_SCRIPT = { 'Sec-Fetch-Dest': 'empty' };
const folders = () => (existsSync(uploads) ? readdirSync(uploads) : []);

describe('several at once', () => {
  test('all arrive complete, whatever happens to the others', async () => {
    const files = Array.from({ length: 6 }, () => randomBytes(200_000));
    const rounds = Array.from({ length: 5 }, async () => {
      const { sent: aborted } = open(api);
      aborted.write(HEAD + 'a'.repeat(100_000));
      const answers = [
        ...files.map(content => send(api, content)),
        ...Array.from({ length: 6 }, () => send(api, '')),
      ];
      await expect.poll(() => folders().length).toBeGreaterThan(0);
      aborted.destroy();
      return Promise.all(answers);
    });
    for (const answers of await Promise.all(rounds)) {
      expect(answers.map(({ status }) => status)).toEqual([...Array(6).fill(303), ...Array(6).fill(400)]);
      expect(new Set(answers.slice(0, 6).map(({ location }) => location)).size).toBe(6);
    }
    await expect.poll(() => folders().length).toBe(30);
    const kept = folders().map(id => readFileSync(join(uploads, id, 'upload.csv')));
    for (const content of files) expect(kept.filter(each => each.equals(content))).toHaveLength(5);
  });
});

describe('refusals', async () => {
  const PLAT_DIR = join(db.folder, 'other');
  const uploads = join(PLAT_DIR, 'uploads');
  const folders = () => (existsSync(uploads) ? readdirSync(uploads) : []);
  const hasty = await start({ PLAT_DIR, REQUEST_TIMEOUT_MS: '1000', UPLOAD_TIMEOUT_MS: '3000' });
  const roomy = await start({ PLAT_DIR, REQUEST_TIMEOUT_MS: '500' });

  test('a slow upload has more time than a request', async () => {
    const { sent, answer } = open(roomy);
    sent.write(`${HEAD}a,b\r\n`);
    // Three times as long as a request may take.
    for (let i = 0; i < 5; i++) {
      await sleep(300);
      sent.write('1,2\r\n');
    }
    sent.end(TAIL);
    const { status, location } = await answer;
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/admin\/files\//)]);
    const [only] = folders();
    expect(statSync(join(uploads, only!, 'upload.csv')).size).toBe(30);
  });

  test.each([
    [
      'with its length',
      (content: Buffer) => ({ 'Content-Length': String(content.length + HEAD.length + TAIL.length) }),
    ],
    ['without', () => ({})],
  ])('too large, sent %s: the answer comes although the sender goes on', async (_, headersOf) => {
    const before = folders();
    const content = Buffer.alloc(8 * 2 ** 20, 'a');
    const page = await send(hasty, content, headersOf(content));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('UPLOAD_MAX_MB')]);
    expect(page.text).toContain('id="upload"');
    const { status, text } = await send(hasty, content, { ...headersOf(content), ...AS_SCRIPT });
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'validation_error']);
    const barely = await send(
      hasty,
      Buffer.alloc(2 ** 20 + 1, 'a'),
      headersOf(content.subarray(0, 2 ** 20 + 1)),
    );
    expect([barely.status, barely.text]).toEqual([400, expect.stringContaining('UPLOAD_MAX_MB')]);
    await expect.poll(folders).toEqual(before);
  });

  test('one that takes too long gets an error while it is being sent, and may finish', async () => {
    const before = folders();
    for (const headers of [{}, AS_SCRIPT]) {
      const { sent, answer } = open(hasty, headers);
      sent.write(`${HEAD}a,b\r\n`);
      const { status, text } = await answer;
      expect([status, text]).toEqual([400, expect.stringContaining('UPLOAD_TIMEOUT_MS')]);
      sent.write('1,2\r\n');
      sent.end(TAIL);
    }
    await expect.poll(folders).toEqual(before);
  });

  test('one that never ends is cut off after the response', async () => {
    const { sent, answer } = open(hasty);
    sent.write(`${HEAD}a,b\r\n`);
    const closed = new Promise<void>(resolve => sent.once('close', resolve));
    expect((await answer).status).toBe(400);
    await closed;
  });

  test('other forms, and those of strangers, have the time limit of a request', async () => {
    const head = `Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 20\r\n\r\na=`;
    const strange = await start({ PLAT_DIR, REQUEST_TIMEOUT_MS: '500', ALLOWED_HOSTS: 'x' });
    const text = await sendRaw(strange.url, `POST /searches/unsubscribe/x HTTP/1.1\r\n${head}`);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text.toLowerCase()).toContain('connection: close');
    // Answered at once, and then cut off.
    expect(await sendRaw(strange.url, `POST /admin/files HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 403 /);
  });
});
