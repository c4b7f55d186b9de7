import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchFileVersion } from '../../../../shared/platform/http/file-version.ts';
import { download, request } from '../../../../shared/platform/http/http.ts';
import { openByteSource } from '../../../../shared/raster/byte-source.ts';
import { METADATA } from '../../../support/arcgis.ts';
import { type Handler, sendRange, serve, type TestServer } from '../../../support/http-server.ts';
import { contextFor, readAll, temporaryFolder } from '../../formats/make.ts';

/** In place of the internet; what else is on this machine is a private network. */
const PUBLIC = '127.0.0.2';
vi.mock('../../../../shared/platform/http/addresses.ts', () => ({
  isPublicAddress: (address: string) => address === '127.0.0.2',
}));

/**
 * What names under .example resolve to, an answer for each time that they are looked up; the last one stays.
 * Several addresses of one answer are separated by spaces.
 */
const names = new Map<string, string[]>();
vi.mock('node:dns', async importOriginal => {
  const original = await importOriginal<typeof import('node:dns')>();
  const lookup = ((hostname: string, options: { all: true }, done: (...result: unknown[]) => void) => {
    const answers = names.get(hostname);
    if (answers === undefined) return original.lookup(hostname, options, done);
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    done(
      null,
      answer.split(' ').map(address => ({ address, family: 4 })),
    );
  }) as typeof original.lookup;
  return { ...original, lookup };
});

const CSV = 'PID,OWNER\n1,A\n2,B\n';
const serving: Handler = (asked, response) => {
  if (sendRange(asked, response, Buffer.from(CSV), { etag: '"1"' })) return;
  if (asked.url!.includes('FeatureServer')) response.end(JSON.stringify(METADATA));
  else response.setHeader('etag', '"1"').end(CSV);
};

/** `outside` is public, `lan` and `inside` are not; where the first two lead to. */
const target = { outside: '', lan: '' };
let [outside, lan, inside]: TestServer[] = [];
beforeAll(async () => {
  const leading =
    (from: keyof typeof target): Handler =>
    ({ url }, response) =>
      response.writeHead(302, { location: `${target[from]}${url}` }).end();
  [outside, lan, inside] = await Promise.all([
    serve(leading('outside'), PUBLIC),
    serve(leading('lan')),
    serve(serving),
  ]);
});
afterAll(() => Promise.all([outside, lan, inside].map(server => server!.close())));
beforeEach(() => {
  for (const server of [outside, lan, inside]) server!.requests.length = 0;
  names.clear();
});

const folder = temporaryFolder();
const context = contextFor(folder.path, { limits: { tries: 2, backoffMs: 1 } });
const portOf = (server: TestServer | undefined) => new URL(server!.origin).port;

const readers: Record<string, (origin: string) => Promise<unknown>> = {
  async download(origin) {
    const file = (await download(new URL('/roll.csv', origin), context))!;
    expect(readFileSync(file.path, 'utf8')).toBe(CSV);
    await file.remove();
  },
  fetchFileVersion: origin => fetchFileVersion(new URL('/roll.csv', origin), context),
  openBytes: origin => openByteSource(`${origin}/elevation.tif`, context).read(0, 4),
  // What it asks for besides the metadata is not here: what counts is where it asks.
  arcgis: origin =>
    readAll({ source: `${origin}/arcgis/rest/services/X/FeatureServer/0`, format: 'arcgis' }, context),
};

describe.each(Object.entries(readers))('%s', (name, read) => {
  test.each(['an address', 'a name'])('goes from the internet to no private network: %s', async kind => {
    target.outside = kind === 'an address' ? inside!.origin : `http://localhost:${portOf(inside)}`;
    await expect(read(outside!.origin)).rejects.toMatchObject({
      code: 'feed_source',
      retryable: false,
      message: expect.stringContaining('private network'),
    });
    expect(inside!.requests).toHaveLength(0);
    expect(outside!.requests).toHaveLength(1);
  });

  test('goes anywhere from a private address that the operator set', async () => {
    target.lan = inside!.origin;
    if (name === 'arcgis') await read(lan!.origin).catch(() => {});
    else await read(lan!.origin);
    expect(inside!.requests.length).toBeGreaterThan(0);
  });
});

const init = { headers: {}, signal: new AbortController().signal };

test("once outside, a redirect can't lead back into a private network", async () => {
  Object.assign(target, { lan: outside!.origin, outside: inside!.origin });
  await expect(request(new URL(lan!.origin), init)).rejects.toThrow('private network');
  expect(outside!.requests).toHaveLength(1);
  expect(inside!.requests).toHaveLength(0);
});

test('a name whose address changes between two requests bypasses nothing', async () => {
  names.set('rebinding.example', [PUBLIC, '127.0.0.1']);
  target.outside = `http://rebinding.example:${portOf(inside)}`;
  const start = new URL(`http://rebinding.example:${portOf(outside)}`);
  await expect(request(start, init)).rejects.toThrow('private network');
  expect(inside!.requests).toHaveLength(0);

  // Private when it is looked up first, public when it is connected to.
  names.set('rebinding.example', ['127.0.0.1', PUBLIC, PUBLIC]);
  target.outside = inside!.origin;
  await expect(request(start, init)).rejects.toThrow();
  expect(inside!.requests).toHaveLength(0);
});

test('every address of a name is checked, not only the first', async () => {
  target.outside = `http://mixed.example:${portOf(inside)}`;
  const start = new URL(outside!.origin);
  // Nothing listens at the public address on that port, so that the private one would be next.
  names.set('mixed.example', [`${PUBLIC} 127.0.0.1`]);
  await expect(request(start, init)).rejects.toThrow();
  names.set('mixed.example', [`127.0.0.1 ${PUBLIC}`]);
  await expect(request(start, init)).rejects.toThrow();
  expect(inside!.requests).toHaveLength(0);
});

test('a redirect into a private network is followed if it is allowed explicitly', async () => {
  target.outside = inside!.origin;
  const response = await request(new URL(outside!.origin), init, { privateRedirects: true });
  expect(await response.text()).toBe(CSV);
});
