import type { Polygon } from 'geojson';
import { describe, expect, test } from 'vitest';
import { areaSqM } from '../../../shared/geo/geodesic-area.ts';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { fromEsri } from '../../../workers/formats/arcgis-geometry.ts';
import { type Answer, type FakeLayer, lots, METADATA, quick, read, withLayer } from '../../support/arcgis.ts';

/** Faults of real servers, as users of other readers reported them. */

const PINS = Array.from({ length: 25 }, (_, i) => `P${i + 1}`);
const JSON_ONLY = { supportedQueryFormats: 'JSON', maxRecordCount: 7 };
const isPage = (query: URLSearchParams) => query.has('resultOffset') && !query.has('objectIds');
const offsetOf = (query: URLSearchParams) => Number(query.get('resultOffset'));
const noFeatures = (more: object = {}): Answer => ({
  body: { objectIdFieldName: 'OBJECTID', spatialReference: { wkid: 4326 }, features: [], ...more },
});

describe('every parcel is read once', () => {
  const layers: [string, () => FakeLayer][] = [
    [
      'the server ends after 14 features and says that these are all',
      () => ({
        features: lots(25),
        fault: query => (isPage(query) && offsetOf(query) >= 14 ? noFeatures() : undefined),
      }),
    ],
    [
      'an empty page says that there is more',
      () => ({
        features: lots(25),
        fault: query =>
          isPage(query) && offsetOf(query) >= 5 && offsetOf(query) < 10
            ? noFeatures({ exceededTransferLimit: true })
            : undefined,
      }),
    ],
    ['the server sends fewer than it announces', () => ({ features: lots(25), most: 4 })],
    [
      'pages without an order come in another one each time',
      () => {
        const features = lots(25);
        const fault = (query: URLSearchParams) => {
          if (isPage(query) && !query.get('orderByFields')) features.reverse();
          return undefined;
        };
        return { features, fault };
      },
    ],
    [
      'a page fails twice',
      () => {
        let failures = 0;
        const failed = { body: { error: { code: 504, message: 'Timeout', details: [] } } };
        return {
          features: lots(25),
          fault: query => (isPage(query) && offsetOf(query) > 0 && failures++ < 2 ? failed : undefined),
        };
      },
    ],
    [
      'field names are in lower case',
      () => ({
        features: lots(25).map(({ attributes: { OBJECTID, PIN }, geometry }) => ({
          attributes: { OBJECTID, PIN, owner: 'A' },
          geometry: geometry!,
        })),
        metadata: {
          ...JSON_ONLY,
          fields: METADATA.fields.map(each => (each.name === 'OWNER' ? { ...each, name: 'owner' } : each)),
        },
      }),
    ],
  ];
  test.each(layers)('%s', async (_, layer) => {
    await withLayer({ most: 7, metadata: JSON_ONLY, ...layer() }, async server => {
      const { pins, bad, error } = await read(server.source);
      expect([error, bad]).toEqual([null, []]);
      expect(pins.toSorted()).toEqual(PINS.toSorted());
    });
  });
});

describe('values', () => {
  const dated = (type: string, values: readonly unknown[]): FakeLayer => ({
    features: lots(values.length).map(({ attributes, geometry }, i) => ({
      attributes: { ...attributes, SOLD: values[i] },
      geometry: geometry!,
    })),
    metadata: { ...JSON_ONLY, fields: [...METADATA.fields, { name: 'SOLD', type, alias: 'SOLD' }] },
  });

  test.each([
    [
      'esriFieldTypeDate',
      [-157_766_400_000, 0, 1_682_899_200_000],
      ['1965-01-01', '1970-01-01', '2023-05-01'],
    ],
    ['esriFieldTypeDateOnly', ['2023-05-01', null], ['2023-05-01', null]],
    ['esriFieldTypeOfTomorrow', ['2023-05-01', 7], ['2023-05-01', 7]],
  ])('%s, in any time zone', async (type, given, expected) => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/Los_Angeles';
    try {
      await withLayer(dated(type, given), async server => {
        const { rows, bad } = await read(server.source);
        expect([rows.map(({ values }) => values.SOLD), bad]).toEqual([expected, []]);
      });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test('shapes with NaN, without rings, or missing cost the parcels only their shapes', async () => {
    const features = lots(25);
    const nan = Array(4).fill(['NaN', 'NaN']);
    for (const i of [0, 1, 2, 3]) features[i]!.geometry = { rings: [nan] };
    features[4]!.geometry = { rings: [] };
    delete features[5]!.geometry;
    await withLayer({ features, metadata: JSON_ONLY }, async server => {
      const { rows, bad } = await read(server.source);
      expect([rows.length, bad]).toEqual([25, []]);
      expect(rows.map(({ geometry }) => prepareBoundary(geometry).ok)).toEqual(PINS.map((_, i) => i > 5));
    });
  });

  test('an arc encloses its area, minus its hole', () => {
    const [x, y, size] = [-72.1, 43.17, 0.001];
    const arc = [
      [x, y],
      [x, y + size],
      {
        c: [
          [x + size, y],
          [x + 0.0009, y + 0.0009],
        ],
      },
      [x, y],
    ];
    const hole = [
      [x + 0.0002, y + 0.0002],
      [x + 0.0004, y + 0.0002],
      [x + 0.0004, y + 0.0004],
      [x + 0.0002, y + 0.0002],
    ];
    const area = (curveRings: unknown[]) =>
      areaSqM([(fromEsri({ curveRings }, true) as Polygon).coordinates as [number, number][][]]);
    const [whole, less] = [area([arc]), area([arc, hole])];
    const taken = areaSqM([[hole as [number, number][]]]);
    expect(whole).toBeGreaterThan(
      1.5 * areaSqM([[[...arc.slice(0, 2), [x + size, y], [x, y]] as [number, number][]]]),
    );
    expect(less / (whole - taken)).toBeCloseTo(1, 6);
  });
});

describe('an unusable server is described in the error', () => {
  const refusals: [string, Answer, string, RegExp][] = [
    ['a firewall', { body: '<html><body>Request blocked</body></html>' }, 'feed_source', /Request blocked/],
    [
      'a service that was stopped',
      { body: { error: { code: 500, message: 'Service Parcels not started.', details: [] } } },
      'feed_source',
      /Service Parcels not started\.(?!\.)/,
    ],
    [
      'a token is needed',
      { body: { error: { code: 499, message: 'Token Required' } } },
      'feed_token',
      /token_env/,
    ],
  ];
  test.each(refusals)('%s', async (_, answer, code, message) => {
    await withLayer({ features: lots(25), fault: () => answer }, async server => {
      const { error } = await read(server.source, {}, { limits: { ...quick, tries: 10 } });
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
      // Asking again does not help.
      expect(server.requests.length).toBeLessThanOrEqual(code === 'feed_token' ? 1 : 3);
    });
  });

  test('a firewall that blocks only the count', async () => {
    const blocked = { body: '<!DOCTYPE html><title>Blocked</title>' };
    const fault = (query: URLSearchParams) => (query.has('returnCountOnly') ? blocked : undefined);
    await withLayer({ features: lots(25), fault, metadata: JSON_ONLY }, async server => {
      const { error, pins } = await read(server.source);
      if (error === null) expect(pins).toEqual(PINS);
      else expect(error).toMatchObject({ code: 'feed_source', message: expect.stringMatching(/Blocked/) });
    });
  });
});
