import { expect, test } from 'vitest';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

// The abstract tests of OGC API - Features 1.0, core and GeoJSON, in the order of their numbers, as the OGC
// executable test suite runs them.

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);

type Link = { rel: string; href: string; type: string };
type Json = Record<string, unknown> & { links: Link[] };

async function get(path: string, accept = 'application/json') {
  const url = path.startsWith('http') ? path : `${api.url}/ogc${path}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}`, Accept: accept } });
  const json = (await response.json()) as Json;
  return { status: response.status, type: response.headers.get('content-type'), json };
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
