import fc from 'fast-check';
import type { TestDb } from '../support/test-db.ts';

/** Strings that have broken programs: SQL, patterns, encodings, numbers, geometries. */
export const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '1e400',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  '{1,2}',
  '99999999999999999999',
  "'; drop table parcels; --",
  "E'\\\\x00'",
  '$1',
  '{{where}}',
  '%',
  '_',
  '\\',
  '__proto__',
  'constructor',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u202e',
  '\ufeff',
  '\u0007',
  '\r\nX-Made: 1',
  '😀'.repeat(60),
  'a'.repeat(10_000),
  '٣٣٠١٩',
  'İstanbul ﬁ ß',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '..%2f..',
  '20240230',
  '2026-02-30',
  '0000-00-00',
  '-infinity',
  '99999',
  '00000',
  '08023',
  '2026-11-20T00:00:00Z',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  'https://a@b:c@d/',
  '//evil.example/',
  'data:,x',
  'POINT (-72.1 43.2)',
  'SRID=4326;POINT(',
  'POLYGON((0 0,1 1,0 1,0 0))',
  'GEOMETRYCOLLECTION('.repeat(500),
  '{"type":"Polygon","coordinates":[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]}',
  '{"type":"Polygon","coordinates":[[[1e-320,1e-320],[1,1e-300],[1,1],[1e-320,1e-320]]]}',
  '{"type":"Polygon","coordinates":{"length":5}}',
  '{"type":"MultiPolygon","coordinates":[[],[[]],null]}',
  `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
];

export const NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1.005,
  1e-320,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e16,
  3.4e38,
  1e39,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
];

/** Properties that every object inherits. Our lookup tables must not have them. */
const INHERITED = ['__proto__', 'constructor', 'toString'];

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom(...INHERITED) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String) },
);

export const hostileValue = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS, true, false, null) },
  { weight: 1, arbitrary: fc.array(fc.oneof(hostileText, fc.constantFrom(...NUMBERS)), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

export const oddName = fc.constantFrom(...INHERITED, 'x', '', 'a.b', 'point[]', 'id[0]', '\0');

/** Converts text for use in a path or a query, with or without correct escaping. */
export const hostileInUrl = fc.oneof(
  { weight: 4, arbitrary: hostileText.map(text => encoded(text)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', '%zz', '%ff%fe', '%00', '%2F', '%ed%a0%80', '+', '..;', '.', '..'),
  },
);

/** Escapes text after replacing lone surrogates, which no URL can contain. */
export const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** Values that exist in the database, by the names of the parameters and fields that accept them. */
export type Known = Map<string, string[]>;

export async function readKnown(pool: TestDb): Promise<Known> {
  const list = async (text: string) =>
    (await pool.query<{ v: string }>(text)).rows.map(({ v }) => v).filter(value => value !== null);
  const parcels = await list('select property_id::text as v from parcels order by property_id % 97 limit 40');
  const counties = ['33019', '33013', '01001', '8023'];
  const zips = ['03280', '03264', '10001'];
  const comps = await list('select id::text as v from listings order by id limit 40');
  return new Map([
    ['property_id', [...parcels, '3301999999999', '100100000001']],
    ['owner_parcel_id', parcels],
    ['listing_id', comps],
    ['listing_url', await list('select url as v from listings where url is not null order by id limit 10')],
    [
      'region_id',
      await list("select id::text as v from regions where code in ('33019', '03280', '01001', '10001')"),
    ],
    ['apn', await list('select apn as v from parcels order by property_id % 89 limit 20')],
    ['owner_name', await list('select owner_name as v from parcels order by property_id % 83 limit 20')],
    ['fips', counties],
    ['county', counties],
    ['counties', counties],
    ['zip', zips],
    ['zips_include', zips],
    ['state', ['NH', 'WI']],
    ['geom_intersects', ['POLYGON((-72.2 43.1,-72 43.1,-72 43.3,-72.2 43.3,-72.2 43.1))']],
  ]);
}
