import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type EsriFeature,
  lots,
  METADATA,
  quick,
  read,
  UNPAGED,
  withLayer,
} from '../../support/arcgis.ts';
import { temporaryFolder } from './make.ts';

const all = (n: number) => Array.from({ length: n }, (_, i) => `P${i + 1}`);
const without = (n: number, gone: number) => all(n).filter(pin => pin !== `P${gone}`);
const failed: Answer = {
  body: { error: { code: 500, message: 'Error performing query operation', details: [] } },
};

describe('a server that fails on one page', () => {
  const faults: [string, Answer][] = [
    ['an error in a body with status 200', failed],
    ['status 500', { status: 500 }],
    ['status 504', { status: 504 }],
    ['an answer that breaks off', { body: 'x'.repeat(1e5), cut: true }],
    ['an answer that is no JSON', { body: '{"features":[' }],
    ['no answer in time', { hang: true }],
    ['an answer above the limit', { body: { features: [], padding: 'x'.repeat(2e5) } }],
  ];
  test.each(faults)('%s: the one feature is found and rejected', async (name, answer) => {
    const fault = (query: URLSearchParams, __: number, asked: number[]) =>
      query.has('resultOffset') && asked.includes(14) ? answer : undefined;
    await withLayer({ features: lots(24), fault }, async server => {
      const limits = { ...quick, pageBytes: 1e5, ...(name === 'no answer in time' && { pageMs: 400 }) };
      const { pins, bad, rows, error } = await read(server.source, { page_size: 8 }, { limits });
      expect(error).toBeNull();
      expect(pins).toEqual(without(24, 14));
      expect(bad).toMatchObject([{ rowNo: 14, reason: 'not_sent', raw: '{"resultOffset":13}' }]);
      expect(bad[0]!.message).toContain(server.source);
      expect(rows.at(-1)!.rowNo).toBe(24);
    });
  });

  test('the feature is also found by ranges and by lists', async () => {
    for (const lists of [false, true]) {
      const fault = (query: URLSearchParams, _: number, asked: number[]) => {
        const isRange = /OBJECTID >=/.test(query.get('where') ?? '');
        if (lists && isRange) return failed;
        return (isRange || query.has('objectIds')) && asked.includes(6) ? failed : undefined;
      };
      await withLayer({ features: lots(20), fault, metadata: UNPAGED }, async server => {
        const { pins, bad, error } = await read(server.source, { page_size: 8 });
        expect(error).toBeNull();
        expect(pins).toEqual(without(20, 6));
        expect(bad).toMatchObject([{ reason: 'not_sent', raw: '{"OBJECTID":6}' }]);
      });
    }
  });

  test('a server that refuses feature after feature ends the run, which is retried', async () => {
    const fault = (query: URLSearchParams, _: number, asked: number[]) =>
      query.has('resultOffset') && asked.some(id => id > 10) ? failed : undefined;
    await withLayer({ features: lots(60), fault }, async server => {
      const { error } = await read(server.source, { page_size: 10 }, { limits: { ...quick, backoffMs: 1 } });
      expect(error).toMatchObject({
        code: 'feed_source',
        retryable: true,
        message: expect.stringMatching(/\b20 features/),
      });
    });
  });
});

describe('a server that is busy or down', () => {
  test('429 and 503 are waited out as Retry-After says, in the status and in the body', async () => {
    const answers: Answer[] = [
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 503 },
      { body: { error: { code: 503, message: 'Service unavailable' } } },
    ];
    const fault = (query: URLSearchParams) =>
      query.get('resultRecordCount') === '5' ? answers.shift() : undefined;
    await withLayer({ features: lots(5), fault }, async server => {
      const notes: string[] = [];
      const { pins, error } = await read(
        server.source,
        {},
        { limits: { ...quick, tries: 4 }, onNote: note => notes.push(note) },
      );
      expect(error).toBeNull();
      expect(pins).toEqual(all(5));
      expect(notes.filter(note => note.startsWith('attempt'))).toHaveLength(3);
      expect(notes[0]).toContain('1 s');
    });
  });

  test('one that stays down ends the run, which is retried', async () => {
    const fault = (query: URLSearchParams) =>
      query.get('resultOffset') === '10' ? { status: 503 } : undefined;
    await withLayer({ features: lots(30), fault }, async server => {
      expect((await read(server.source, { page_size: 10 })).error).toMatchObject({
        code: 'feed_source',
        retryable: true,
      });
    });
  });
});

describe('a token', () => {
  const needsToken = (query: URLSearchParams): Answer | undefined => {
    if (query.get('token') === 'good') return undefined;
    return query.has('token')
      ? { body: { error: { code: 498, message: 'Invalid Token' } } }
      : { body: { error: { code: 499, message: 'Token Required' } } };
  };
  test('is sent with every request, and errors name its setting', async () => {
    await withLayer({ features: lots(3), fault: needsToken }, async server => {
      const asked = async (env: Record<string, string>, token_env?: string) =>
        (await read(server.source, token_env === undefined ? {} : { token_env }, { env })).error;
      expect(await asked({ GIS_TOKEN: 'good' }, 'GIS_TOKEN')).toBeNull();
      for (const [error, words] of [
        [await asked({}), 'arcgis.token_env'],
        [await asked({}, 'GIS_TOKEN'), 'GIS_TOKEN'],
        [await asked({ GIS_TOKEN: 'old' }, 'GIS_TOKEN'), 'GIS_TOKEN'],
      ] as const)
        expect(error).toMatchObject({
          code: 'feed_token',
          retryable: false,
          message: expect.stringContaining(words),
        });
    });
  });

  test('is sent to no other server', async () => {
    await withLayer({ features: lots(3) }, async thief => {
      const fault = (): Answer => ({
        status: 302,
        headers: { location: `${thief.source}?f=json&token=good` },
      });
      await withLayer({ features: [], fault }, async server => {
        const { error } = await read(
          server.source,
          { token_env: 'GIS_TOKEN' },
          { env: { GIS_TOKEN: 'good' } },
        );
        expect(error).toMatchObject({
          code: 'feed_source',
          message: expect.stringContaining(new URL(thief.source).origin),
        });
        expect(thief.requests).toHaveLength(0);
      });
    });
  });
});

describe('a layer that changes while it is read', () => {
  /** Takes feature 3 away and adds one when the second page is asked for, so that one is passed over. */
  function changing(): { features: EsriFeature[]; fault: (query: URLSearchParams) => undefined } {
    const features = lots(20);
    return {
      features,
      fault: query => {
        if (query.get('resultOffset') === '10' && features[2]!.attributes.PIN === 'P3') {
          features.splice(2, 1);
          features.push({ ...features[0]!, attributes: { OBJECTID: 99, PIN: 'P99' } });
          features.push({ ...features[0]!, attributes: { OBJECTID: 100, PIN: 'P100' } });
        }
        return undefined;
      },
    };
  }

  test('is read completely: skipped features are fetched by object id', async () => {
    await withLayer(changing(), async server => {
      const { pins, error } = await read(server.source, { page_size: 5 });
      expect(error).toBeNull();
      // P11 moved to the page before, after that had come.
      expect(new Set(pins)).toEqual(new Set([...all(20), 'P99', 'P100']));
    });
  });

  test('ends the run for a retry from the start if object ids are not listed', async () => {
    const layer = changing();
    const fault = (query: URLSearchParams) =>
      layer.fault(query) ?? (query.has('returnIdsOnly') ? failed : undefined);
    const workDir = join(temporaryFolder().path, 'work');
    await withLayer({ ...layer, fault }, async server => {
      expect((await read(server.source, { page_size: 5 }, { workDir })).error).toMatchObject({
        code: 'feed_source',
        retryable: true,
        message: expect.stringMatching(/\b21 features.*\b20\b/),
      });
      const { pins } = await read(server.source, { page_size: 5 }, { workDir });
      expect(pins).toHaveLength(21);
    });
  });
});

describe('a read that was cut off', () => {
  const folder = temporaryFolder();
  /** Reads until the page at offset 30 fails for good. */
  async function cutOff(
    name: string,
    metadata: Record<string, unknown>,
    then: (source: string, workDir: string, asked: () => string[]) => Promise<void>,
    features = lots(50),
  ) {
    const workDir = join(folder.path, name);
    let isAway = true;
    const page = (query: URLSearchParams) =>
      query.get('resultOffset') ?? /OBJECTID >= (\d+)/.exec(query.get('where') ?? '')?.[1] ?? '';
    const fault = (query: URLSearchParams) =>
      isAway && ['30', '31'].includes(page(query)) ? { status: 503 } : undefined;
    await withLayer({ features, fault, metadata }, async server => {
      expect((await read(server.source, { page_size: 10 }, { workDir })).error).toMatchObject({
        retryable: true,
      });
      isAway = false;
      server.queries.length = 0;
      await then(server.source, workDir, () => server.queries.map(page).filter(Boolean));
    });
  }

  test('continues with the page at which it stopped, by offset and by ranges', async () => {
    for (const [name, metadata, next] of [
      ['offset', {}, ['30', '40']],
      ['range', UNPAGED, ['31', '41']],
    ] as const)
      await cutOff(name, metadata, async (source, workDir, asked) => {
        expect((await read(source, { page_size: 10 }, { workDir })).pins).toEqual(all(50));
        // What the first read had asked ahead may come late.
        expect([...new Set(asked())].sort()).toEqual(next);
        const { length } = asked();
        // A complete file is used again until its run has ended well.
        expect((await read(source, { page_size: 10 }, { workDir })).pins).toEqual(all(50));
        expect(asked()).toHaveLength(length);
      });
  });

  test('starts over if the layer was edited, the query differs, or the file is shorter than its checkpoint', async () => {
    const edited = { ...METADATA, editingInfo: { lastEditDate: 1_700_000_000_000 } };
    await cutOff('edited', edited, async (source, workDir, asked) => {
      edited.editingInfo = { lastEditDate: 1_700_000_060_000 };
      expect((await read(source, { page_size: 10 }, { workDir })).pins).toEqual(all(50));
      expect(asked()).toEqual(['0', '0', '10', '20', '30', '40']);
    });
    await cutOff('other', {}, async (source, workDir, asked) => {
      await read(source, { page_size: 10, where: '1=1' }, { workDir });
      expect(asked()[0]).toBe('0');
    });
    await cutOff('short', {}, async (source, workDir, asked) => {
      const file = readdirSync(workDir).find(name => !name.endsWith('.json'))!;
      writeFileSync(join(workDir, file), readFileSync(join(workDir, file)).subarray(0, 100));
      expect((await read(source, { page_size: 10 }, { workDir })).pins).toEqual(all(50));
      expect(asked()[0]).toBe('0');
    });
  });

  test('starts over if there are fewer features than before, because offsets have moved', async () => {
    const features = lots(50);
    await cutOff(
      'fewer',
      {},
      async (source, workDir, asked) => {
        features.splice(4, 1);
        expect((await read(source, { page_size: 10 }, { workDir })).pins).toEqual(without(50, 5));
        expect(asked()[0]).toBe('0');
      },
      features,
    );
  });

  test('anything written after the checkpoint is rewritten', async () => {
    await cutOff('half', {}, async (source, workDir) => {
      const file = readdirSync(workDir).find(name => !name.endsWith('.json'))!;
      mkdirSync(workDir, { recursive: true });
      writeFileSync(join(workDir, file), '{"type":"Feat', { flag: 'a' });
      expect((await read(source, { page_size: 10 }, { workDir })).pins).toEqual(all(50));
    });
  });
});
