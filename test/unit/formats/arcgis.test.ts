import { describe, expect, test } from 'vitest';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import { type Answer, lots, METADATA, read, UNPAGED, withLayer } from '../../support/arcgis.ts';
import { testFolder } from '../../support/folder.ts';
import { feedOf } from '../../support/ingest.ts';

const all = (n: number) => Array.from({ length: n }, (_, i) => `P${i + 1}`);
const pages = (queries: URLSearchParams[]) =>
  queries.filter(
    query => !query.has('returnCountOnly') && !query.has('returnIdsOnly') && !query.has('outStatistics'),
  );
const REFUSED: Answer = { body: { error: { code: 400, message: 'Failed to execute query.', details: [] } } };

describe('paging', () => {
  test('uses offsets and GeoJSON, with up to two requests at once and our user agent', async () => {
    await withLayer({ features: lots(45) }, async server => {
      const { pins, rows, error } = await read(server.source, { page_size: 10 });
      expect(error).toBeNull();
      expect(pins).toEqual(all(45));
      expect(rows[0]!.geometry).toMatchObject({ type: 'Polygon' });
      expect(server.most()).toBe(2);
      expect(new Set(server.requests.map(request => request.headers['user-agent']))).toEqual(
        new Set(['plat (parcel feed reader)']),
      );
      const asked = pages(server.queries).map(query =>
        ['resultOffset', 'resultRecordCount', 'f', 'orderByFields', 'outSR'].map(name => query.get(name)),
      );
      expect(asked[0]).toEqual(['0', '1', 'geojson', 'OBJECTID', '4326']);
      expect(asked.slice(1).map(([offset, count]) => `${offset}+${count}`)).toEqual([
        '0+10',
        '10+10',
        '20+10',
        '30+10',
        '40+5',
      ]);
      // Before the first page and after the last.
      expect(server.queries.filter(query => query.has('returnCountOnly'))).toHaveLength(2);
    });
  });

  test("uses ranges of object ids if a layer doesn't page by offset", async () => {
    const features = lots(30).filter((_, i) => i % 3 !== 1);
    await withLayer({ features, metadata: { ...UNPAGED, supportedQueryFormats: 'JSON' } }, async server => {
      const { pins, error } = await read(server.source, { page_size: 8, where: "OWNER <> 'X'" });
      expect(error).toBeNull();
      expect(pins).toEqual(features.map(({ attributes }) => attributes.PIN));
      expect(pages(server.queries).map(query => query.get('where'))).toEqual([
        "(OWNER <> 'X') AND (OBJECTID >= 1 AND OBJECTID <= 1)",
        "(OWNER <> 'X') AND (OBJECTID >= 1 AND OBJECTID <= 12)",
        "(OWNER <> 'X') AND (OBJECTID >= 13 AND OBJECTID <= 24)",
        "(OWNER <> 'X') AND (OBJECTID >= 25 AND OBJECTID <= 30)",
      ]);
    });
  });

  test('uses lists of object ids if conditions on them fail, and sends a long list as a form', async () => {
    const features = lots(900).map(({ attributes, ...rest }) => ({
      attributes: { ...attributes, OBJECTID: Number(attributes.OBJECTID) + 100_000 },
      ...rest,
    }));
    const fault = (query: URLSearchParams) =>
      /OBJECTID >=/.test(query.get('where') ?? '') ? REFUSED : undefined;
    await withLayer({ features, fault, metadata: UNPAGED }, async server => {
      const { pins, error } = await read(server.source, { page_size: 400 });
      expect(error).toBeNull();
      expect(pins).toEqual(all(900));
      const forms = server.requests.filter(request => request.method === 'POST');
      expect(forms).toHaveLength(2);
    });
  });

  test("uses ranges from the lowest to the highest id if ids are not listed, unless the statistics can't be right", async () => {
    const noIds = (extent: [number, number]) => (query: URLSearchParams) =>
      query.has('returnIdsOnly')
        ? REFUSED
        : query.has('outStatistics')
          ? {
              body: {
                features: [
                  {
                    attributes: {
                      'MIN(OBJECTID) AS THE_MIN': extent[0],
                      'MAX(OBJECTID) AS THE_MAX': extent[1],
                    },
                  },
                ],
              },
            }
          : undefined;
    await withLayer({ features: lots(25), fault: noIds([1, 25]), metadata: UNPAGED }, async server => {
      expect(await read(server.source, { page_size: 10 })).toMatchObject({ error: null, pins: all(25) });
    });
    // 25 features have no ids from 0 to 3, and a server that does not know offsets begins anew each time.
    const everySame = (query: URLSearchParams) =>
      noIds([0, 3])(query) ??
      (query.has('resultOffset') ? { body: { features: lots(10), exceededTransferLimit: true } } : undefined);
    await withLayer({ features: lots(25), fault: everySame, metadata: UNPAGED }, async server => {
      expect((await read(server.source, { page_size: 10 })).error).toMatchObject({
        code: 'feed_format',
        message: expect.stringContaining('the same features on every page'),
      });
    });
  });

  test('uses Esri JSON if GeoJSON fails, and ids if offsets fail', async () => {
    const noGeoJson = (query: URLSearchParams) =>
      query.get('f') === 'geojson' ? { status: 500 } : undefined;
    await withLayer({ features: lots(5), fault: noGeoJson }, async server => {
      const { pins, rows } = await read(server.source);
      expect(pins).toEqual(all(5));
      expect(rows[0]!.geometry).toEqual({
        type: 'Polygon',
        coordinates: [lots(1)[0]!.geometry!.rings[0]!.toReversed()],
      });
    });
    const noOffsets = (query: URLSearchParams) => (query.has('resultOffset') ? REFUSED : undefined);
    await withLayer({ features: lots(5), fault: noOffsets }, async server => {
      expect((await read(server.source)).pins).toEqual(all(5));
    });
  });

  test('uses ids if a server returns the first page for every offset', async () => {
    const features = lots(45);
    const fault = (query: URLSearchParams): Answer | undefined => {
      const by = query.get('resultOffset');
      if (by === null || by === '0') return undefined;
      const first = features.slice(0, Number(query.get('resultRecordCount')));
      return { body: { objectIdFieldName: 'OBJECTID', spatialReference: { wkid: 4326 }, features: first } };
    };
    await withLayer({ features, fault, metadata: { supportedQueryFormats: 'JSON' } }, async server => {
      expect((await read(server.source, { page_size: 10 })).pins).toEqual(all(45));
    });
  });

  test('completes responses with fewer features than requested', async () => {
    for (const metadata of [{}, UNPAGED]) {
      await withLayer({ features: lots(25), most: 4, metadata }, async server => {
        const { pins, error } = await read(server.source, { page_size: 10 });
        expect(error).toBeNull();
        expect(pins).toEqual(all(25));
      });
    }
  });

  test('requests no more than the wanted rows', async () => {
    await withLayer({ features: lots(50) }, async server => {
      const { pins } = await read(server.source, { page_size: 10 }, { rows: 15 });
      expect(pins).toEqual(all(15));
      expect(pages(server.queries).map(query => query.get('resultRecordCount'))).toEqual(['1', '10', '5']);
      expect(server.requests).toHaveLength(4);
    });
  });
});

describe('a query', () => {
  test("contains the feed's condition, fields, box, and coordinate system", async () => {
    await withLayer({ features: [] }, async server => {
      await read(
        `${server.source}/query?where=1%3D1&f=pjson`,
        { where: "TOWN = 'A+B'", fields: ['PIN'], out_sr: 2236 },
        { within: { box: [-72.2, 43.1, -72.1, 43.3] } },
      );
      for (const query of server.queries)
        expect(Object.fromEntries(query)).toMatchObject({
          where: "(TOWN = 'A+B')",
          geometry: '-72.2,43.1,-72.1,43.3',
          inSR: '4326',
          spatialRel: 'esriSpatialRelIntersects',
        });
      expect(Object.fromEntries(pages(server.queries)[0]!)).toMatchObject({
        outFields: 'OBJECTID,PIN',
        outSR: '2236',
        f: 'json',
      });
    });
  });

  test('returns coordinates in the system that the response declares, whatever was requested', async () => {
    const rings = [
      [
        [-8031000, 5340000],
        [-8031000, 5340100],
        [-8030900, 5340100],
        [-8031000, 5340000],
      ],
    ];
    const fault = (query: URLSearchParams) =>
      query.has('resultOffset')
        ? {
            body: {
              spatialReference: { wkid: 102100, latestWkid: 3857 },
              features: [{ attributes: { OBJECTID: 1, PIN: 'A' }, geometry: { rings } }],
            },
          }
        : undefined;
    await withLayer(
      { features: lots(1), fault, metadata: { supportedQueryFormats: 'JSON' } },
      async server => {
        const { rows } = await read(server.source);
        expect((rows[0]!.geometry as { coordinates: number[][][] }).coordinates[0]![0]![0]).toBeCloseTo(
          -72.1436,
          3,
        );
      },
    );
  });
});

describe('values', () => {
  test('dates become ISO; codes stay, or become names if the feed says so', async () => {
    const fields = [
      ...METADATA.fields,
      { name: 'SOLD', type: 'esriFieldTypeDate', alias: 'Sold' },
      {
        name: 'USE',
        type: 'esriFieldTypeString',
        alias: 'Use',
        domain: { type: 'codedValue', codedValues: [{ code: 'R', name: 'Residential' }] },
      },
      { name: 'KIND', type: 'esriFieldTypeInteger', alias: 'Kind' },
    ];
    const features = lots(2);
    Object.assign(features[0]!.attributes, { SOLD: 1418601600000, USE: 'R', KIND: 2 });
    Object.assign(features[1]!.attributes, { SOLD: 1418640000000, USE: 'Q', KIND: null });
    const metadata = { fields, typeIdField: 'KIND', types: [{ id: 2, name: 'Condominium' }] };
    await withLayer({ features, metadata }, async server => {
      expect((await read(server.source)).rows.map(row => row.values)).toMatchObject([
        { SOLD: '2014-12-15', USE: 'R', KIND: 2 },
        { SOLD: '2014-12-15T10:40:00.000Z', USE: 'Q', KIND: null },
      ]);
      expect(
        (await read(server.source, { names_of: ['USE', 'KIND'] })).rows.map(row => row.values),
      ).toMatchObject([
        { USE: 'Residential', KIND: 'Condominium' },
        { USE: 'Q', KIND: null },
      ]);
    });
  });

  test('a feature without geometry is a row, and so is one with a broken geometry', async () => {
    const features = lots(3);
    delete features[1]!.geometry;
    (features[2] as { geometry: unknown }).geometry = { rings: [[['x', 1]]] };
    await withLayer({ features, metadata: { supportedQueryFormats: 'JSON' } }, async server => {
      const { rows, bad, error } = await read(server.source);
      expect(error).toBeNull();
      expect(rows.map(row => [row.values.PIN, row.geometry?.type ?? null])).toEqual([
        ['P1', 'Polygon'],
        ['P2', null],
        ['P3', expect.anything()],
      ]);
      expect(bad).toEqual([]);
      expect(prepareBoundary(rows[2]!.geometry)).toMatchObject({ reason: 'unreadable' });
    });
  });
});

test('a server that counts more than it lists is reported with both numbers', async () => {
  const fault = (query: URLSearchParams) =>
    query.has('returnCountOnly') ? { body: { count: 2500 } } : undefined;
  await withLayer({ features: lots(25), fault }, async server => {
    for (const rows of [undefined, 100]) {
      const told: number[][] = [];
      const onShortfall = (...numbers: number[]) => void told.push(numbers);
      const found = await read(server.source, {}, { onShortfall, ...(rows && { rows }) });
      expect([found.error, found.rows.length, told]).toEqual([null, 25, [[2500, 25]]]);
    }
    const roll = { source: server.source, format: 'arcgis', key: 'PIN', columns: { owner_name: 'OWNER' } };
    const feed = feedOf(testFolder(), { name: 'liar', kind: 'assessor', fips: '33019', roll });
    expect((await checkFeed(feed)).warnings).toEqual([expect.stringMatching(/2500 .* 25\b/)]);
  });
});

describe('not a layer', () => {
  const cases: [string, Answer, string, string][] = [
    [
      'a service',
      {
        body: {
          layers: [
            { id: 0, name: 'Parcels' },
            { id: 3, name: 'Roads' },
          ],
        },
      },
      'feed_format',
      '(/0 Parcels, /3 Roads)',
    ],
    [
      'a group layer',
      { body: { type: 'Group Layer', id: 0, fields: null, subLayers: [{ id: 1, name: 'Parcels' }] } },
      'feed_format',
      '/1 Parcels',
    ],
    [
      'a raster layer',
      { body: { type: 'Raster Layer', id: 1 } },
      'feed_format',
      'is not a feature layer, but a Raster Layer',
    ],
    [
      'a layer that may not be queried',
      { body: { ...METADATA, capabilities: 'Map' } },
      'feed_format',
      'allows only Map',
    ],
    ['a web page', { body: '<html>Sign in</html>' }, 'feed_source', 'did not return JSON'],
    ['nothing', { status: 404 }, 'feed_source', 'returned 404'],
    [
      'a layer behind a token',
      { body: { error: { code: 499, message: 'Token Required', details: [] } } },
      'feed_token',
      'set arcgis.token_env to its name',
    ],
  ];
  test.each(cases)('%s', async (_, answer, code, words) => {
    await withLayer({ features: [], fault: () => answer }, async server => {
      expect((await read(server.source)).error).toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
    });
  });

  test('an address without http is not a layer', async () => {
    expect((await read('parcels.json')).error).toMatchObject({
      code: 'feed_source',
      message: expect.stringContaining('must be the http(s) URL of a layer'),
    });
  });
});
