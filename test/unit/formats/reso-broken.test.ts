import { describe, expect, test } from 'vitest';
import {
  answer,
  ended,
  type Handler,
  keysFrom,
  LISTINGS,
  queries,
  quick,
  read,
  stamp,
  underWay,
  withServer,
} from './reso-server.ts';

describe('a chain that breaks', () => {
  test('a connection dropped in the middle is resumed automatically', async () => {
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

  test('a failed run continues at the stored nextLink without reading the first pages again', async () => {
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
      expect(second.checkpoint).toEqual(ended(8));
    });
  });

  test('a nextLink that the server has forgotten: again from the watermark, inclusive', async () => {
    const forgetful: Handler = (request, response) => {
      if (request.url!.includes('skiptoken=old')) response.writeHead(410).end();
      else answer(request, response);
    };
    await withServer(forgetful, async (spec, server) => {
      const nextLink = `${spec.source}?$skiptoken=old`;
      const { keys, error } = await read(spec, {
        watermark: underWay(nextLink, 5),
      });
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(5));
      expect(queries(server)[1]).toBe(
        `$filter=ModificationTimestamp ge ${stamp(5)}&$orderby=ModificationTimestamp`,
      );
    });
  });

  test('a forgotten chain whose pages were out of order is read from its start', async () => {
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
        watermark: underWay(null, 1),
      });
      expect(first.checkpoint).toMatchObject({ watermark: stamp(8), since: stamp(1), ordered: false });
      expect(first.error).toMatchObject({ message: expect.stringContaining('404') });
      server.requests.length = 0;
      const second = await read(spec, { watermark: first.checkpoint });
      expect(queries(server)[1]).toContain(`ge ${stamp(1)}`);
      expect(second.keys).toEqual(keysFrom(1));
    });
  });

  test('429 is retried after the requested time', async () => {
    const limited: Handler = (request, response, count) => {
      if (count === 2) response.writeHead(429, { 'retry-after': '1' }).end();
      else answer(request, response);
    };
    await withServer(limited, async (spec, server) => {
      const { keys, error } = await read(spec, { limits: { ...quick, retryAfterMs: 3_000 } });
      expect(error).toBeNull();
      expect(keys).toEqual(keysFrom(0));
      expect(server.requests).toHaveLength(4);
    });
  });

  test('a Retry-After beyond the limit ends the run at once, to be retried later', async () => {
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

  test('tries are limited, even with a silent server', async () => {
    await withServer(
      () => {},
      async (spec, server) => {
        const { error } = await read(spec, { limits: { ...quick, pageMs: 500 } });
        expect(error).toMatchObject({ code: 'feed_source', retryable: true });
        expect(server.requests).toHaveLength(3);
      },
    );
  });

  test('an aborted signal ends a long wait', async () => {
    const stop = new AbortController();
    await withServer(
      (_, response) => response.writeHead(429, { 'retry-after': '1' }).end(),
      async spec => {
        const onNote = () => stop.abort(new Error('shutting down'));
        const { error } = await read(spec, { signal: stop.signal, onNote });
        expect(error).not.toBeNull();
      },
    );
  });
});
