import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ResoCheckpoint } from '../../../../workers/ingest/parse/reso.ts';
import {
  type InputSpec,
  type ReadContext,
  type RowBatch,
  readInput,
} from '../../../../workers/ingest/parse/rows.ts';
import { serve, type TestServer } from '../open/http-server.ts';
import { contextFor } from './make.ts';

const TOKEN = 'secret-7f3a';
const quick = { tries: 3, backoffMs: 5, pageMs: 300, retryAfterMs: 1_500 };
const context = (over: Partial<ReadContext> = {}) =>
  contextFor('/', { env: { MLS_TOKEN: TOKEN }, limits: quick, ...over });

/** Nine listings, modified a minute apart; the server gives them in pages of three. */
const LISTINGS = Array.from({ length: 9 }, (_, i) => ({
  ListingKey: `L${i}`,
  ModificationTimestamp: `2025-09-01T00:0${i}:00Z`,
}));
const stamp = (i: number) => LISTINGS[i]!.ModificationTimestamp;

const answer = (request: IncomingMessage, response: ServerResponse): void =>
  answerLinking(request, response, skip => `/odata/Property?$skiptoken=${skip}`);

/** A RESO server in small: $filter on the timestamp, $orderby, pages by $skiptoken. */
function answerLinking(
  request: IncomingMessage,
  response: ServerResponse,
  link: (skip: number) => string,
): void {
  const url = new URL(request.url!, 'http://x');
  const condition = /ModificationTimestamp (gt|ge) (\S+)/.exec(url.searchParams.get('$filter') ?? '');
  const from =
    condition === null
      ? 0
      : LISTINGS.findIndex(({ ModificationTimestamp: at }) =>
          condition[1] === 'gt' ? at > condition[2]! : at >= condition[2]!,
        );
  const skip = Number(url.searchParams.get('$skiptoken') ?? (from === -1 ? LISTINGS.length : from));
  const next = skip + 3 < LISTINGS.length ? { '@odata.nextLink': link(skip + 3) } : {};
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ '@odata.context': 'x', value: LISTINGS.slice(skip, skip + 3), ...next }));
}

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

async function withServer(
  handler: Handler,
  work: (spec: InputSpec, server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await serve(handler);
  try {
    await work(
      { source: `${server.origin}/odata/Property`, format: 'reso', reso: { tokenEnv: 'MLS_TOKEN' } },
      server,
    );
  } finally {
    await server.close();
  }
}

/** Reads until the end or the error, keeping what a caller would have stored by then. */
async function read(spec: InputSpec, over: Partial<ReadContext> = {}) {
  const batches: RowBatch[] = [];
  let error: unknown = null;
  try {
    for await (const batch of readInput(spec, context(over))) batches.push(batch);
  } catch (thrown) {
    error = thrown;
  }
  const keys = batches.flatMap(batch => batch.rows.map(row => row.values.ListingKey));
  return { batches, keys, error, checkpoint: batches.at(-1)?.checkpoint ?? null };
}

const keysFrom = (i: number) => LISTINGS.slice(i).map(each => each.ListingKey);
const queries = (server: TestServer) =>
  server.requests.map(request => decodeURIComponent(request.url!.split('?')[1] ?? ''));

describe('RESO Web API', () => {
  test('follows the pages, a batch and a checkpoint each', async () => {
    await withServer(answer, async (spec, server) => {
      const { batches, keys, error } = await read(spec);
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(0));
      expect(batches.flatMap(batch => batch.rows.map(row => row.rowNo))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(batches.map(batch => batch.checkpoint)).toEqual([
        {
          nextLink: `${server.origin}/odata/Property?$skiptoken=3`,
          watermark: stamp(2),
          since: null,
          ordered: true,
        },
        {
          nextLink: `${server.origin}/odata/Property?$skiptoken=6`,
          watermark: stamp(5),
          since: null,
          ordered: true,
        },
        { nextLink: null, watermark: stamp(8), since: stamp(8), ordered: true },
      ]);
      expect(queries(server)[0]).toBe('$orderby=ModificationTimestamp');
    });
  });

  test('the token goes into the header of every request, and the page size into Prefer', async () => {
    await withServer(answer, async (spec, server) => {
      await read({ ...spec, reso: { ...spec.reso, pageSize: 500 } });
      expect(server.requests.map(request => request.headers.authorization)).toEqual(
        Array(3).fill(`Bearer ${TOKEN}`),
      );
      expect(server.requests[0]!.headers.prefer).toBe('odata.maxpagesize=500');
    });
  });

  test('the next run asks for what is newer than the watermark', async () => {
    await withServer(answer, async (spec, server) => {
      const watermark: ResoCheckpoint = {
        nextLink: null,
        watermark: stamp(6),
        since: stamp(6),
        ordered: true,
      };
      const later = await read(spec, { watermark });
      expect(later.keys).toEqual(keysFrom(7));
      expect(queries(server)).toEqual([
        `$filter=ModificationTimestamp gt ${stamp(6)}&$orderby=ModificationTimestamp`,
      ]);
      expect(later.checkpoint).toEqual({
        nextLink: null,
        watermark: stamp(8),
        since: stamp(8),
        ordered: true,
      });
      const nothing = await read(spec, { watermark: later.checkpoint });
      expect(nothing.keys).toEqual([]);
      expect(nothing.checkpoint).toEqual(later.checkpoint);
    });
  });

  test('filter, select and the query of the source are kept; spaces are %20', async () => {
    await withServer(answer, async (spec, server) => {
      const watermark: ResoCheckpoint = { nextLink: null, watermark: stamp(8), since: null, ordered: true };
      const reso = {
        ...spec.reso,
        filter: "PropertyType eq 'Land' or PropertyType eq 'Farm'",
        select: ['ListingKey'],
      };
      await read({ ...spec, source: `${spec.source}?office=7`, reso }, { watermark });
      expect(queries(server)).toEqual([
        `office=7&$filter=ModificationTimestamp gt ${stamp(8)} and (PropertyType eq 'Land' or PropertyType eq 'Farm')&$orderby=ModificationTimestamp&$select=ListingKey,ModificationTimestamp`,
      ]);
      expect(server.requests[0]!.url).not.toContain('+');
    });
  });

  test('a record that is no object is a bad row', async () => {
    await withServer(
      (_, response) => response.end('{"value":[7,{"ListingKey":"a"}]}'),
      async spec => {
        const { batches } = await read(spec);
        expect(batches[0]!.bad).toMatchObject([{ rowNo: 1, reason: 'unreadable_row', raw: '7' }]);
        expect(batches[0]!.rows).toMatchObject([{ rowNo: 2, values: { ListingKey: 'a' } }]);
      },
    );
  });
});

describe('a chain that breaks', () => {
  test('a connection dropped in mid-chain is taken up again by itself', async () => {
    const flaky: Handler = (request, response, count) => {
      if (count !== 2) return answer(request, response);
      response.writeHead(200, { 'content-length': '5000' }).write('{"value":[');
      setTimeout(() => response.destroy(), 10);
    };
    await withServer(flaky, async (spec, server) => {
      const { keys, error } = await read(spec);
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(0));
      expect(server.requests).toHaveLength(4);
    });
  });

  test('a run that failed goes on at the stored nextLink without reading the first pages again', async () => {
    let down = true;
    const failing: Handler = (request, response) => {
      if (down && request.url!.includes('skiptoken=6')) response.writeHead(500).end();
      else answer(request, response);
    };
    await withServer(failing, async (spec, server) => {
      const first = await read(spec);
      expect(first.error).toMatchObject({ code: 'feed_source', retryable: true });
      expect(first.keys).toEqual(keysFrom(0).slice(0, 6));
      down = false;
      server.requests.length = 0;
      const second = await read(spec, { watermark: first.checkpoint });
      expect(second.keys).toEqual(keysFrom(6));
      expect(queries(server)).toEqual(['$skiptoken=6']);
      expect(second.checkpoint).toEqual({
        nextLink: null,
        watermark: stamp(8),
        since: stamp(8),
        ordered: true,
      });
    });
  });

  test('a nextLink that the server has forgotten: again from the watermark on, inclusively', async () => {
    const forgetful: Handler = (request, response) => {
      if (request.url!.includes('skiptoken=old')) response.writeHead(410).end();
      else answer(request, response);
    };
    await withServer(forgetful, async (spec, server) => {
      const nextLink = `${spec.source}?$skiptoken=old`;
      const { keys, error } = await read(spec, {
        watermark: { nextLink, watermark: stamp(5), since: null, ordered: true },
      });
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(5));
      expect(queries(server)[1]).toBe(
        `$filter=ModificationTimestamp ge ${stamp(5)}&$orderby=ModificationTimestamp`,
      );
    });
  });

  test('a forgotten chain whose pages were not in order is read from where it began', async () => {
    const unordered: Handler = (request, response, count) => {
      if (request.url!.endsWith('skiptoken=1')) response.writeHead(404).end();
      else if (count === 1)
        response.end(
          JSON.stringify({ value: [LISTINGS[8], LISTINGS[2]], '@odata.nextLink': '?$skiptoken=1' }),
        );
      else answer(request, response);
    };
    await withServer(unordered, async (spec, server) => {
      const first = await read(spec, {
        watermark: { nextLink: null, watermark: stamp(1), since: null, ordered: true },
      });
      expect(first.checkpoint).toMatchObject({ watermark: stamp(8), since: stamp(1), ordered: false });
      expect(first.error).toMatchObject({ message: expect.stringContaining('404') });
      server.requests.length = 0;
      const second = await read(spec, { watermark: first.checkpoint });
      expect(queries(server)[1]).toContain(`ge ${stamp(1)}`);
      expect(second.keys).toEqual(keysFrom(1));
    });
  });

  test.each([
    ['429 with seconds', 429, () => '1', 900],
    ['503 with a date', 503, () => new Date(Date.now() + 2_000).toUTCString(), 500],
  ])('%s waits as long as asked', async (_, status, after, atLeastMs) => {
    const limited: Handler = (request, response, count) => {
      if (count === 2) response.writeHead(status, { 'retry-after': after() }).end();
      else answer(request, response);
    };
    await withServer(limited, async spec => {
      const start = performance.now();
      const { keys, error } = await read(spec, { limits: { ...quick, retryAfterMs: 3_000 } });
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(0));
      expect(performance.now() - start).toBeGreaterThan(atLeastMs);
    });
  });

  test('a Retry-After beyond the bound ends the run at once, to be retried later', async () => {
    await withServer(
      (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
      async (spec, server) => {
        const { error } = await read(spec);
        expect(error).toMatchObject({
          code: 'feed_source',
          retryable: true,
          message: expect.stringContaining('429'),
        });
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('tries are bounded, a silent server included', async () => {
    await withServer(
      () => {},
      async (spec, server) => {
        const { error } = await read(spec, { limits: { ...quick, pageMs: 50 } });
        expect(error).toMatchObject({
          retryable: true,
          message: expect.stringContaining('did not answer in time'),
        });
        expect(server.requests).toHaveLength(3);
      },
    );
  });

  test('an aborted signal ends a long wait', async () => {
    const stop = new AbortController();
    await withServer(
      (_, response) => response.writeHead(429, { 'retry-after': '1' }).end(),
      async spec => {
        setTimeout(() => stop.abort(new Error('shutting down')), 50);
        const start = performance.now();
        const { error } = await read(spec, { signal: stop.signal });
        expect(error).not.toBeNull();
        expect(performance.now() - start).toBeLessThan(800);
      },
    );
  });
});

describe('the token', () => {
  test('is not sent to another origin, neither by a link nor by a redirect', async () => {
    const stolen: (string | undefined)[] = [];
    const thief = await serve((request, response) => {
      stolen.push(request.headers.authorization);
      response.end('{"value":[]}');
    });
    await withServer(
      (request, response) => answerLinking(request, response, skip => `${thief.origin}/x?$skiptoken=${skip}`),
      async spec => {
        const { error } = await read(spec);
        expect(error).toMatchObject({
          code: 'feed_source',
          retryable: false,
          message: expect.stringContaining(thief.origin),
        });
        const stored = { nextLink: `${thief.origin}/x`, watermark: null, since: null, ordered: true };
        expect((await read(spec, { watermark: stored })).error).toMatchObject({ code: 'feed_source' });
      },
    );
    await withServer(
      (_, response) => response.writeHead(302, { location: `${thief.origin}/x` }).end(),
      async spec => expect((await read(spec)).error).toMatchObject({ code: 'feed_source', retryable: false }),
    );
    await thief.close();
    expect(stolen).toEqual([]);
  });

  test('a variable that is not set is named before anything is asked', async () => {
    await withServer(answer, async (spec, server) => {
      const { error } = await read(spec, { env: {} });
      expect(error).toMatchObject({
        code: 'feed_token',
        message: expect.stringContaining('MLS_TOKEN is not set'),
      });
      expect(server.requests).toHaveLength(0);
    });
  });

  test.each([401, 403])('%i says that the token is refused, without showing it', async status => {
    await withServer(
      (_, response) => response.writeHead(status).end(`bad token ${TOKEN}`),
      async spec => {
        const { error } = await read(spec);
        expect(error).toMatchObject({
          code: 'feed_token',
          message: expect.stringContaining('refuses the token'),
        });
        expect(`${(error as Error).message}${(error as Error).stack}${JSON.stringify(error)}`).not.toContain(
          TOKEN,
        );
      },
    );
  });
});

test.each([
  ['no JSON', '<html>', 'feed_format', /did not answer with JSON/],
  ['no value list', '{"error":{}}', 'feed_format', /without a "value" list/],
  ['pages in a circle', '{"value":[],"@odata.nextLink":"?a=1"}', 'feed_source', /circle/],
  [
    'a page beyond the limit',
    `{"value":["${'x'.repeat(5_000)}"]}`,
    'feed_source',
    /page of more than 2000 bytes/,
  ],
])('%s is refused', async (_, body, code, message) => {
  await withServer(
    (_request, response) => response.end(body),
    async spec => {
      const { error } = await read(spec, { limits: { ...quick, pageBytes: 2_000 } });
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    },
  );
});
