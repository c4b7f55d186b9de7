import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../shared/platform/http/download-context.ts';
import { retryAfterMs } from '../../../shared/platform/http/http.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import { type Handler, serve } from '../../support/http-server.ts';
import { collect, contextFor, makeDbf, makeShp, makeZip, readAll, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const CSV = 'PID,OWNER\n1,A\n2,B\n';
const quick = { tries: 3, backoffMs: 5, downloadIdleMs: 20_000 };
const leftOvers = () => (existsSync(context.tmpDir) ? readdirSync(context.tmpDir) : []);

async function withServer(
  handler: Handler,
  work: (origin: string, requests: () => string[]) => Promise<void>,
) {
  const server = await serve(handler);
  try {
    await work(server.origin, () => server.requests.map(request => request.url ?? ''));
  } finally {
    await server.close();
  }
}

const get = (address: string, more: Partial<typeof context> = {}) =>
  readAll({ source: address, format: 'csv' }, { ...context, limits: quick, ...more });

describe('files', () => {
  test('relative paths start at the base folder; absolute paths and file: URLs work', async () => {
    mkdirSync(join(folder.path, 'in'), { recursive: true });
    const path = folder.put('in/roll.csv', CSV);
    for (const source of ['in/roll.csv', './in/roll.csv', path, pathToFileURL(path).href]) {
      expect((await get(source)).rows, source).toHaveLength(2);
    }
  });

  test('a missing file is reported with where it was looked for', async () => {
    const read = get('nowhere/roll.csv');
    await expect(read).rejects.toMatchObject({
      code: 'feed_source',
      retryable: false,
      message: expect.stringContaining(join(folder.path, 'nowhere/roll.csv')),
    });
  });

  test('a web page in place of a file is distinguished from a broken one; beside a file it is no sibling', async () => {
    const page = '\n<!DOCTYPE html><html><head>';
    folder.put('page.csv', page);
    await expect(get('page.csv')).rejects.toMatchObject({ message: expect.stringMatching(/web page/) });
    const handler: Handler = ({ url }, response) => response.end(url!.endsWith('.shp') ? makeShp([]) : page);
    await withServer(handler, async origin => {
      const read = readAll({ source: `${origin}/a.shp`, format: 'shapefile' }, { ...context, limits: quick });
      await expect(read).rejects.toMatchObject({ message: expect.stringMatching(/\.dbf/) });
    });
  });

  test.each([
    ['.', /^\. /],
    ['ftp://example.com/x.csv', /file:.*https:/],
  ])('the source %s is refused', async (source, message) => {
    await expect(get(source)).rejects.toMatchObject({
      code: 'feed_source',
      message: expect.stringMatching(message),
    });
  });

  test('gzip and ZIP are recognized by content, not by name', async () => {
    folder.put('gzip.csv', gzipSync(CSV));
    folder.put('zip.csv', makeZip({ 'x.csv': CSV }));
    for (const source of ['gzip.csv', 'zip.csv']) {
      expect((await get(source)).rows).toHaveLength(2);
    }
  });

  test('concatenated gzip members are one file', async () => {
    folder.put('members.csv.gz', Buffer.concat([gzipSync('PID,OWNER\n1,A\n'), gzipSync('2,B\n')]));
    expect((await get('members.csv.gz')).rows).toHaveLength(2);
  });

  const packed = gzipSync(`PID\n${Array.from({ length: 50_000 }, (_, i) => i * 7919).join('\n')}\n`);
  const zipped = makeZip({
    'a.csv': `PID\n${Array.from({ length: 50_000 }, (_, i) => i * 7919).join('\n')}\n`,
  });
  const damaged = (bytes: Buffer) => Buffer.from(bytes).fill(7, bytes.length / 2, bytes.length / 2 + 50);

  test.each([
    ['a cut gzip', packed.subarray(0, packed.length / 2)],
    ['a damaged gzip', damaged(packed)],
    ['a cut zip', zipped.subarray(0, zipped.length / 2)],
    ['a damaged zip', damaged(zipped)],
  ])('%s is refused by its name', async (_, bytes) => {
    folder.put('broken.bin', bytes);
    const read = get('broken.bin');
    await expect(read).rejects.toMatchObject({
      code: 'feed_source',
      message: expect.stringMatching(/\bbroken\.bin\b/),
    });
  });

  test('a bomb is stopped at the limit, as gzip and as ZIP', async () => {
    const bomb = Buffer.from(`PID\n${`${'1'.repeat(999)}\n`.repeat(4_000)}`);
    const bounded = { limits: { expandedBytes: 1_000_000 } };
    for (const bytes of [gzipSync(bomb), makeZip({ 'x.csv': bomb })]) {
      folder.put('bomb.csv', bytes);
      await expect(get('bomb.csv', bounded)).rejects.toMatchObject({
        code: 'feed_source',
        message: expect.stringMatching(/bomb\.csv.* 1000000 bytes/),
      });
    }
  });

  test('a file that unpacks to many times its size is a bomb, even below the limit', async () => {
    const zeros = Buffer.alloc(5_000_000, '0');
    for (const bytes of [gzipSync(zeros), makeZip({ 'x.csv': zeros })]) {
      folder.put('zeros.csv', bytes);
      const found = get('zeros.csv', { limits: { uncheckedRatioBytes: 100_000 } });
      await expect(found).rejects.toThrow(/zeros\.csv.* 1\d{6} bytes/);
    }
  });

  test('a ZIP with too many files is refused', async () => {
    folder.put(
      'many.zip',
      makeZip(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}.csv`, CSV]))),
    );
    const bounded = { limits: { zipEntries: 10 } };
    await expect(get('many.zip', bounded)).rejects.toThrow(/\b10 files/);
  });

  test('progress counts the packed bytes and ends at the total', async () => {
    const lines = Array.from({ length: 2_000 }, () => randomBytes(250).toString('hex'));
    const bytes = gzipSync(`PID\n${lines.join('\n')}\n`);
    folder.put('progress.csv.gz', bytes);
    const seen: [number, number | null][] = [];
    await readAll(
      { source: 'progress.csv.gz', format: 'csv' },
      contextFor(folder.path, { onBytes: (read, total) => seen.push([read, total]) }),
    );
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(seen.map(([read]) => read)).toEqual(seen.map(([read]) => read).toSorted((a, b) => a - b));
  });

  test('an aborted signal ends reading', async () => {
    folder.put('large.csv', `PID\n${`${'1'.repeat(999)}\n`.repeat(4_000)}`);
    const stop = new AbortController();
    const reading = readInput(
      { source: 'large.csv', format: 'csv' },
      contextFor(folder.path, { signal: stop.signal }),
    );
    await reading.next();
    stop.abort(new Error('shutting down'));
    await expect(
      (async () => {
        for await (const _ of reading);
      })(),
    ).rejects.toThrow('shutting down');
  });
});

describe('http', () => {
  test('every kind of compression is read, whatever the name in the URL, and nothing is left behind', async () => {
    const bodies: Record<string, Buffer> = {
      '/roll.csv': Buffer.from(CSV),
      '/export?format=csv&year=2025': gzipSync(CSV),
      '/download/7': makeZip({ 'x/roll.csv': CSV }),
    };
    await withServer(
      (request, response) => response.end(bodies[request.url!]),
      async origin => {
        for (const path of Object.keys(bodies)) {
          expect((await get(origin + path)).rows, path).toHaveLength(2);
        }
      },
    );
    expect(leftOvers()).toEqual([]);
  });

  test('a plain shapefile downloads its .dbf and .prj; a missing .cpg is not an error', async () => {
    const files: Record<string, Buffer> = {
      '/gis/lots.shp': makeShp([[500_000, 4_760_000]]),
      '/gis/lots.dbf': makeDbf([{ name: 'PID', type: 'C', length: 2 }], [{ cells: ['7'] }]),
      '/gis/lots.prj': Buffer.from('+proj=utm +zone=19 +datum=NAD83'),
    };
    await withServer(
      (request, response) => {
        const body = files[request.url!.replace('?v=2', '')];
        response.writeHead(body === undefined ? 404 : 200).end(body);
      },
      async (origin, requests) => {
        const spec = { source: `${origin}/gis/lots.shp?v=2`, format: 'shapefile' } as const;
        const { rows } = await collect(readInput(spec, context));
        expect(rows[0]!.values).toEqual({ PID: '7' });
        expect((rows[0]!.geometry as { coordinates: number[][][] }).coordinates[0]![0]![0]).toBeCloseTo(
          -69,
          9,
        );
        expect(requests()).toContain('/gis/lots.cpg?v=2');
      },
    );
    expect(leftOvers()).toEqual([]);
  });

  test('redirects are followed, but not forever', async () => {
    await withServer(
      (request, response) => {
        if (request.url === '/here') response.end(CSV);
        else response.writeHead(302, { location: request.url === '/moved' ? '/here' : '/round' }).end();
      },
      async origin => {
        expect((await get(`${origin}/moved`)).rows).toHaveLength(2);
        await expect(get(`${origin}/round`)).rejects.toThrow(/redirect.*\b5\b/);
      },
    );
  });

  test('server errors and dropped connections are retried', async () => {
    await withServer(
      (_, response, count) => {
        if (count === 1) response.writeHead(503, { 'retry-after': '0' }).end();
        else if (count === 2) {
          response.writeHead(200, { 'content-length': '1000' }).write(CSV);
          setTimeout(() => response.destroy(), 20);
        } else response.end(CSV);
      },
      async (origin, requests) => {
        const notes: string[] = [];
        const read = await readAll(
          { source: `${origin}/roll.csv`, format: 'csv' },
          { ...context, limits: quick, onNote: note => notes.push(note) },
        );
        expect(read.rows).toHaveLength(2);
        expect(requests()).toHaveLength(3);
        expect(notes).toEqual([
          expect.stringMatching(/\b2 of 3\b.*\b0 s\b.*roll\.csv.*\b503\b/),
          expect.stringMatching(/0\.0 of 0\.0 MB/),
          expect.stringMatching(/\b3 of 3\b.*\b1 s\b.*roll\.csv/),
          expect.stringMatching(/0\.0 MB/),
        ]);
      },
    );
  });

  test('a server that stays silent is given up, and another run may help', async () => {
    await withServer(
      (_, response) => void response.writeHead(200).write('PID\n'),
      async (origin, requests) => {
        const read = get(`${origin}/roll.csv`, { limits: { ...quick, downloadIdleMs: 500 } });
        await expect(read).rejects.toMatchObject({ code: 'feed_source', retryable: true });
        expect(requests()).toHaveLength(3);
      },
    );
    expect(leftOvers()).toEqual([]);
  });

  test('404 is final and its message contains no query, which may include a key', async () => {
    await withServer(
      (_, response) => response.writeHead(404).end(),
      async (origin, requests) => {
        const read = get(`${origin}/roll.csv?key=s3cret`);
        await expect(read).rejects.toMatchObject({ code: 'feed_source', retryable: false });
        await expect(read).rejects.toThrow(/\/roll\.csv [^?]*\b404\b/);
        await expect(read).rejects.not.toThrow('s3cret');
        expect(requests()).toHaveLength(1);
      },
    );
  });

  test('a download beyond the limit is refused and deleted', async () => {
    await withServer(
      (_, response) => response.end(Buffer.alloc(3_000_000, '1\n')),
      async origin => {
        const limits = { ...quick, downloadBytes: 1_000_000 };
        const read = get(`${origin}/roll.csv`, { limits });
        await expect(read).rejects.toMatchObject({ code: 'feed_source', retryable: false });
        await expect(read).rejects.toThrow(/ 1000000 bytes/);
      },
    );
    expect(leftOvers()).toEqual([]);
  });

  test('stopping early deletes the download', async () => {
    await withServer(
      (_, response) => response.end(`PID\n${'1\n'.repeat(50_000)}`),
      async origin => {
        for await (const batch of readInput({ source: `${origin}/roll.csv`, format: 'csv' }, context)) {
          expect(batch.rows.length).toBeGreaterThanOrEqual(1_000);
          expect(leftOvers()).toHaveLength(1);
          break;
        }
      },
    );
    expect(leftOvers()).toEqual([]);
  });
});

test('Retry-After is read in seconds and as a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(retryAfterMs('120', now)).toBe(120_000);
  expect(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60_000);
  expect(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
  expect(retryAfterMs('soon', now)).toBeUndefined();
  expect(retryAfterMs(null, now)).toBeUndefined();
  expect(LIMITS.retryAfterMs).toBeGreaterThan(60_000);
});
