import { bbox, bboxPolygon, booleanIntersects, coordAll, multiPolygon } from '@turf/turf';
import type { Geometry } from 'geojson';
import proj4 from 'proj4';
import { describe, expect, test } from 'vitest';
import { CRS_NAMES } from '../../../api/ogc/crs.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

// The abstract tests of OGC API - Features 1.0, Part 1 (core, GeoJSON, OpenAPI 3.0) and Part 2 (CRS), in the
// order of their numbers, as the OGC executable test suite runs them.

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);

type Link = { rel: string; href: string; type: string };
type Json = Record<string, unknown> & { links: Link[] };

async function get(path: string, accept = 'application/json') {
  const url = path.startsWith('http') ? path : `${api.url}/ogc${path}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}`, Accept: accept } });
  const json = (await response.json()) as Json;
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), crs: headers.get('content-crs'), json };
}

async function ok(path: string, accept?: string): Promise<Json> {
  const { status, json } = await get(path, accept);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
}

const linkOf = ({ links }: Json, rel: string, type?: string): Link => {
  const link = links.find(each => each.rel === rel && (type === undefined || each.type === type));
  expect(link, rel).toBeDefined();
  return link!;
};

const collections = (await ok('/collections')).collections as (Json & { id: string })[];
const names = collections.map(({ id }) => [id] as const);

test('3 and 4: the landing page links to the definition, the classes, and the collections', async () => {
  const page = await ok('/');
  for (const rel of ['self', 'conformance', 'data']) linkOf(page, rel);
  expect(linkOf(page, 'service-desc').type).toBe('application/vnd.oai.openapi+json;version=3.0');
});

test('5 and 6: the definition is OpenAPI 3.0, and every reference in it exists', async () => {
  const document = await ok(linkOf(await ok('/'), 'service-desc').href);
  expect(document.openapi).toMatch(/^3\.0\.\d$/);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
  expect(references.length).toBeGreaterThan(20);
  for (const path of references)
    expect(
      path.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document),
      path,
    ).toBeDefined();
});

test('7 and 8: the classes include core and GeoJSON', async () => {
  expect((await ok('/conformance')).conformsTo).toEqual(
    expect.arrayContaining(
      ['core', 'geojson', 'oas30'].map(
        name => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`,
      ),
    ),
  );
});

test('9 and 10: the list of collections has links to all of them', async () => {
  linkOf(await ok('/collections'), 'self');
  expect(collections.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['parcels', 'comps', 'counties', 'zips', 'roads', 'wetlands', 'flood']),
  );
});

test.each(names)('11 and 12: the collection %s is the same by itself and in the list', async name => {
  const own = await ok(`/collections/${name}`);
  expect(own).toEqual(collections.find(({ id }) => id === name));
  linkOf(own, 'items', 'application/geo+json');
  const { spatial } = own.extent as { spatial: { bbox: number[][] } };
  for (const [west, south, east, north] of spatial.bbox) {
    expect(west).toBeLessThan(east!);
    expect(south).toBeLessThan(north!);
  }
});

test.each(names)(
  '13, 22, and 23: the features of %s are GeoJSON, with their links and counts',
  async name => {
    const url = linkOf(collections.find(({ id }) => id === name)!, 'items').href;
    const { status, type, json } = await get(url, 'application/geo+json');
    expect({ status, type }).toEqual({ status: 200, type: 'application/geo+json' });
    const { features, numberReturned } = json as unknown as { features: object[]; numberReturned: number };
    expect(json.type).toBe('FeatureCollection');
    expect(features).toHaveLength(numberReturned);
    for (const feature of features)
      expect(feature).toMatchObject({
        type: 'Feature',
        id: expect.anything(),
        properties: expect.any(Object),
      });
    for (const feature of features) expect(feature).toHaveProperty('geometry');
    expect(linkOf(json, 'self').type).toBe('application/geo+json');
  },
);

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  style: string;
  explode: boolean;
  schema: object;
};

test.each<[numbers: string, expected: Partial<Parameter>]>([
  [
    '14',
    {
      name: 'bbox',
      schema: {
        type: 'array',
        minItems: 4,
        maxItems: 6,
        oneOf: [
          { minItems: 4, maxItems: 4 },
          { minItems: 6, maxItems: 6 },
        ],
        items: { type: 'number' },
      },
    },
  ],
  ['16', { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 10 } }],
  ['18', { name: 'datetime', schema: { type: 'string' } }],
])('%s: the definition of a parameter', async (_numbers, expected) => {
  const { paths, components } = (await ok('/api')) as unknown as {
    paths: Record<string, { get: { parameters: { $ref: string }[] } }>;
    components: { parameters: Record<string, Parameter> };
  };
  const listed = paths['/collections/{collectionId}/items']!.get.parameters.map(({ $ref }) => $ref);
  expect(listed).toContain(`#/components/parameters/${expected.name}`);
  const form = { in: 'query', required: false, style: 'form', explode: false };
  expect(components.parameters[expected.name!]).toMatchObject({ ...form, ...expected });
});

test.each(names)('15, 17, and 19: bbox, limit, and datetime in %s', async name => {
  const items = `/collections/${name}/items`;
  expect(((await ok(`${items}?limit=1`)).features as object[]).length).toBeLessThanOrEqual(1);
  await ok(`${items}?limit=5&bbox=-72.2,43.1,-72,43.3`);
  await ok(`${items}?limit=5&bbox=175,-15,-64,72`);
  for (const time of ['2020-01-01T00:00:00Z', '2018-02-12T00:00:00Z/..', '../2018-03-18T12:31:12Z'])
    await ok(`${items}?limit=5&datetime=${time}`);
});

test.each(names)('20 and 21: invalid and unknown parameters are 400 in %s', async name => {
  expect((await get(`/collections/${name}/items?limit=limit`)).status).toBe(400);
  expect((await get(`/collections/${name}/items?unknownQueryParam=1`)).status).toBe(400);
});

test.each(names)('26 and 27: a feature of %s by its id', async name => {
  const { features } = (await ok(`/collections/${name}/items?limit=1`)) as unknown as {
    features: { id: string }[];
  };
  for (const { id } of features) {
    const feature = await ok(`/collections/${name}/items/${id}`, 'application/geo+json');
    expect(feature.id).toBe(id);
    linkOf(feature, 'self', 'application/geo+json');
    linkOf(feature, 'collection');
  }
});

type Shape = { id: string | number; geometry: Geometry | null };

const geoJson = 'application/geo+json';
const urlOf = (name: string) => linkOf(collections.find(({ id }) => id === name)!, 'items', geoJson).href;
const featuresOf = async (url: string) => (await ok(url, geoJson)).features as Shape[];

/** The boxes of the suite: the extent, the meridian, the equator, the 180th meridian, and both poles. */
const BOXES: [number, number, number, number][] = [
  [-180, -15, -64, 72],
  [-1.5, 50, 1.5, 53],
  [-80, -5, -70, 5],
  [177, 65, -177, 70],
  [-180, 85, 180, 90],
  [-180, -90, 180, -85],
];

test.each(names)('2, 13, and 15: features of %s in a box share a point with it, in CRS84', async name => {
  for (const [west, south, east, north] of BOXES) {
    const parts =
      west < east
        ? [[west, east]]
        : [
            [west, 180],
            [-180, east],
          ];
    const area = multiPolygon(
      parts.map(([from, to]) => bboxPolygon([from!, south, to!, north]).geometry.coordinates),
    );
    for (const { id, geometry } of await featuresOf(`${urlOf(name)}?bbox=${[west, south, east, north]}`)) {
      expect(geometry, String(id)).not.toBeNull();
      expect(booleanIntersects(geometry!, area), String(id)).toBe(true);
      const [w, s, e, n] = bbox(geometry!);
      expect(Math.min(w! + 180, s! + 90, 180 - e!, 90 - n!), String(id)).toBeGreaterThanOrEqual(0);
    }
  }
});

describe('Part 2', () => {
  const [CRS84, EPSG4326, EPSG3857] = CRS_NAMES as [string, string, string];
  /** Coordinates in another system, converted by proj4. */
  const inCrs = (geometry: Geometry, crs: string): number[][] => {
    const places = coordAll(geometry);
    if (crs === EPSG4326) return places.map(([lon, lat]) => [lat!, lon!]);
    return crs === EPSG3857 ? places.map(place => proj4('EPSG:3857').forward(place)) : places;
  };

  test.each(names)('1 to 3: the reference systems of %s', async name => {
    const list = (await ok('/collections')).crs;
    for (const { crs, storageCrs } of [
      await ok(`/collections/${name}`),
      collections.find(({ id }) => id === name)!,
    ]) {
      expect(crs).toEqual(list);
      for (const each of crs as string[])
        expect(each).toMatch(/^http:\/\/www\.opengis\.net\/def\/crs\/(OGC|EPSG)\/[0-9.]+\/\w+$/);
      expect((crs as string[])[0]).toBe(CRS84);
      expect(crs).toContain(storageCrs);
    }
  });

  test.each(names)('4 to 7: the parameter crs of %s', async name => {
    const items = urlOf(name);
    const plain = await featuresOf(items);
    for (const path of [items, ...plain.slice(0, 1).map(({ id }) => `${items}/${id}`)]) {
      expect((await get(path, geoJson)).crs).toBe(`<${CRS84}>`);
      expect((await get(`${path}?crs=http://www.opengis.net/def/crs/0/unsupported`, geoJson)).status).toBe(
        400,
      );
      for (const crs of CRS_NAMES) {
        const reply = await get(`${path}?crs=${encodeURIComponent(crs)}`, geoJson);
        expect({ status: reply.status, crs: reply.crs }).toEqual({ status: 200, crs: `<${crs}>` });
        const shown = (reply.json.features ?? [reply.json]) as Shape[];
        for (const [at, { geometry }] of shown.entries()) {
          const expected = plain[at]!.geometry && inCrs(plain[at]!.geometry!, crs);
          const found = geometry && coordAll(geometry);
          for (const [index, place] of (expected ?? []).entries())
            for (const axis of [0, 1]) expect(found![index]![axis]).toBeCloseTo(place[axis]!, 1);
        }
      }
    }
  });

  test.each(names)('8 to 10: the parameter bbox-crs of %s', async name => {
    const [west, south, east, north] = BOXES[0]!;
    const idsIn = async (query: string) => (await featuresOf(`${urlOf(name)}?${query}`)).map(({ id }) => id);
    const plain = await idsIn(`bbox=${BOXES[0]}`);
    const [low, high] = [
      proj4('EPSG:3857').forward([west, south]),
      proj4('EPSG:3857').forward([east, north]),
    ];
    const boxes = {
      [CRS84]: BOXES[0],
      [EPSG4326]: [south, west, north, east],
      [EPSG3857]: [...low, ...high],
    };
    for (const [crs, box] of Object.entries(boxes))
      expect(await idsIn(`bbox-crs=${encodeURIComponent(crs)}&bbox=${box}`), crs).toEqual(plain);
    const unsupported = 'bbox-crs=http://www.opengis.net/def/crs/0/unsupported';
    expect((await get(`${urlOf(name)}?${unsupported}&bbox=${BOXES[0]}`, geoJson)).status).toBe(400);
  });
});
