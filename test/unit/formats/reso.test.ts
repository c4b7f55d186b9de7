import { describe, expect, test } from 'vitest';
import { serve } from '../../support/http-server.ts';
import {
  answer,
  answerLinking,
  ended,
  keysFrom,
  queries,
  quick,
  read,
  stamp,
  TOKEN,
  underWay,
  withServer,
} from './reso-server.ts';

describe('RESO Web API', () => {
  test('follows the pages, with a batch and a checkpoint for each', async () => {
    await withServer(answer, async (spec, server) => {
      const { batches, keys, error } = await read(spec);
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(0));
      expect(batches.flatMap(batch => batch.rows.map(row => row.rowNo))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(batches.map(batch => batch.checkpoint)).toEqual([
        underWay(`${server.origin}/odata/Property?$skiptoken=3`, 2),
        underWay(`${server.origin}/odata/Property?$skiptoken=6`, 5),
        ended(8),
      ]);
      expect(queries(server)[0]).toBe('$orderby=ModificationTimestamp');
    });
  });

  test('the token is in the header of every request, and the page size in Prefer', async () => {
    await withServer(answer, async (spec, server) => {
      await read({ ...spec, reso: { ...spec.reso, page_size: 500 } });
      expect(server.requests.map(request => request.headers.authorization)).toEqual(
        Array(3).fill(`Bearer ${TOKEN}`),
      );
      expect(server.requests[0]!.headers.prefer).toBe('odata.maxpagesize=500');
    });
  });

  test('the next run requests what is newer than the watermark', async () => {
    await withServer(answer, async (spec, server) => {
      const watermark = ended(6);
      const later = await read(spec, { watermark });
      expect(later.keys).toEqual(keysFrom(7));
      expect(queries(server)).toEqual([
        `$filter=ModificationTimestamp gt ${stamp(6)}&$orderby=ModificationTimestamp`,
      ]);
      expect(later.checkpoint).toEqual(ended(8));
      const nothing = await read(spec, { watermark: later.checkpoint });
      expect(nothing.keys).toEqual([]);
      expect(nothing.checkpoint).toEqual(later.checkpoint);
    });
  });

  test("filter, select, and the source's query are kept; spaces are %20", async () => {
    await withServer(answer, async (spec, server) => {
      const watermark = underWay(null, 8);
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

  test("a record that isn't an object is a bad row", async () => {
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

describe('the token', () => {
  test('is not sent to another origin, neither through a link nor through a redirect', async () => {
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

  test('a missing variable is named before any request', async () => {
    await withServer(answer, async (spec, server) => {
      const { error } = await read(spec, { env: {} });
      expect(error).toMatchObject({
        code: 'feed_token',
        message: expect.stringContaining('MLS_TOKEN'),
      });
      expect(server.requests).toHaveLength(0);
    });
  });

  test.each([401, 403])('%i says that the token is refused, without showing it', async status => {
    await withServer(
      (_, response) => response.writeHead(status).end(`bad token ${TOKEN}`),
      async spec => {
        const { error } = await read(spec);
        expect(error).toMatchObject({ code: 'feed_token' });
        expect(`${(error as Error).message}${(error as Error).stack}${JSON.stringify(error)}`).not.toContain(
          TOKEN,
        );
      },
    );
  });
});

test.each([
  ['no JSON', '<html>', 'feed_format', /JSON/],
  ['no value list', '{"error":{}}', 'feed_format', /"value"/],
  ['pages in a circle', '{"value":[],"@odata.nextLink":"?a=1"}', 'feed_source', /page/],
  ['a page beyond the limit', `{"value":["${'x'.repeat(5_000)}"]}`, 'feed_source', /2000 bytes/],
])('%s is refused', async (_, body, code, message) => {
  await withServer(
    (_request, response) => response.end(body),
    async spec => {
      const { error } = await read(spec, { limits: { ...quick, pageBytes: 2_000 } });
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    },
  );
});
