import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createRandom } from '../bench/generate/random.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertListings } from '../support/listings.ts';
import { boxRing } from '../support/parcels.ts';
import {
  type GridPolygon,
  type PlainListing,
  type PlainQuery,
  plainComps,
  plainDaysOnMarket,
} from '../support/plain-comps.ts';
import { runs } from '../support/runs.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);

/** Tests run within a day, or fail at midnight UTC. */
const TODAY = new Date().toISOString().slice(0, 10);
const daysAgo = (days: number) => new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);

const CENTER = [-72.1, 43.18] as const;
/** 0.1 degree: on it lie some locations and the corners of some polygons. */
const COARSE = 1_000_000;
const [WEST, SOUTH] = [-725_000_000, 428_000_000];

/** Few values a field, so that ties, unknowns and matches are common. */
function makeListings(count: number): PlainListing[] {
  const random = createRandom(20);
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)]!;
  const day = () => pick(null, ...[-3, 0, 1, 7, 30, 31, 90, 400].map(daysAgo));
  const location = (): PlainListing['location'] => {
    if (random() < 0.1) return null;
    if (random() < 0.4)
      return [WEST + COARSE * Math.floor(random() * 9), SOUTH + COARSE * Math.floor(random() * 9)];
    return [WEST + Math.floor(random() * 8 * COARSE), SOUTH + Math.floor(random() * 8 * COARSE)];
  };
  return Array.from({ length: count }, () => {
    const hex = () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    const id = `${hex()}-${hex().slice(0, 4)}-5${hex().slice(1, 4)}-8${hex().slice(1, 4)}-${hex()}${hex().slice(0, 4)}`;
    const status = pick('ACTIVE', 'PENDING', 'SOLD', 'SOLD', 'OFF_MARKET');
    return {
      id,
      status,
      fips: pick(33019, 33019, 33005, 1001, null),
      zip: pick('03280', '03461', ''),
      location: location(),
      lotAcres: pick(null, 0, 0.25, 1, 1, 2.5, 5.01, 40),
      price: pick(0, 10_000, 10_000, 25_000.5, 99_999.99, 1_000_000),
      listedDate: day(),
      statusDate: day(),
      soldDate: status === 'SOLD' ? day() : null,
      daysOnMarket: pick(null, null, 0, 30, 90, 365),
      photos: Array.from({ length: Math.floor(random() * 4) }, (_, n) => `https://photos.example/${n}`),
    };
  });
}

const listings = makeListings(900);
const byId = new Map(listings.map(listing => [listing.id, listing]));
let key: string;
beforeAll(async () => {
  await insertListings(db.pool, listings);
  ({ key } = await newCaller(db, { tokensIncluded: 1e12 }));
});

const integer = (min: number, max: number) => fc.integer({ min, max });
const onCoarse = integer(0, 8);

/** A rectangle with corners on the coarse grid. */
const rectangle: fc.Arbitrary<GridPolygon> = fc
  .tuple(onCoarse, onCoarse, integer(1, 4), integer(1, 4), fc.boolean())
  .map(([x, y, width, height, hollow]) => {
    const ring = (inset: number): [number, number][] => {
      const [w, s] = [WEST + x * COARSE + inset, SOUTH + y * COARSE + inset];
      const [e, n] = [w + width * COARSE - 2 * inset, s + height * COARSE - 2 * inset];
      return boxRing(w, s, e, n);
    };
    return hollow ? [ring(0), ring(COARSE / 4)] : [ring(0)];
  });

/** A star of up to 60 points around anywhere, at times with its smaller self as a hole. */
const star: fc.Arbitrary<GridPolygon> = fc
  .tuple(
    integer(0, 8 * COARSE),
    integer(0, 8 * COARSE),
    fc.array(integer(COARSE / 4, 4 * COARSE), { minLength: 3, maxLength: 60 }),
    fc.boolean(),
  )
  .map(([x, y, radii, hollow]) => {
    const ring = (share: number) => {
      const points = radii.map((radius, i): [number, number] => {
        const angle = ((i + 0.3) / radii.length) * 2 * Math.PI;
        return [
          Math.round(WEST + x + share * radius * Math.cos(angle)),
          Math.round(SOUTH + y + share * radius * Math.sin(angle)),
        ];
      });
      return [...points, points[0]!];
    };
    // Fewer points may put the center outside, and with it the hole's arms across the shell.
    return hollow && radii.length > 4 ? [ring(1), ring(0.5)] : [ring(1)];
  });

const area = fc.oneof(
  rectangle.map(rings => [rings]),
  star.map(rings => [rings]),
  fc.tuple(rectangle, star),
);

/** Absent `rarity` times as often as not. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, rarity = 4): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: rarity, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const scopes = fc
  .record({
    fips: maybe(fc.constantFrom(33019, 33005, 1001, 33003), 2),
    zip: maybe(fc.constantFrom('03280', '03461', '99999'), 3),
    point: maybe(
      fc.tuple(
        integer(-4_000_000, 4_000_000).map(n => (CENTER[0] * 1e7 + n) / 1e7),
        integer(-4_000_000, 4_000_000).map(n => (CENTER[1] * 1e7 + n) / 1e7),
      ),
      2,
    ),
    polygons: maybe(area, 1),
  })
  .filter(scope => Object.values(scope).some(value => value !== undefined));

const filters = fc.record({
  dist: maybe(fc.oneof(integer(0, 20_000), integer(20_000, 60_000)), 1),
  status: maybe(fc.subarray(['ACTIVE', 'PENDING', 'SOLD'], { minLength: 1 })),
  age: maybe(fc.constantFrom(0, 1, 7, 30, 31, 365)),
  dom: maybe(fc.array(fc.constantFrom(0, 1, 30, 60, 90, 400), { minLength: 2, maxLength: 2 })),
  acres: maybe(fc.array(fc.constantFrom(0, 0.25, 1, 2.5, 5.01, 100), { minLength: 2, maxLength: 2 })),
  halves: fc.constantFrom('both', 'min', 'max'),
  min_photos: maybe(integer(0, 4)),
  order: maybe(fc.constantFrom('acres', 'dom', 'ppa', 'price', '-acres', '-dom', '-ppa', '-price'), 1),
});

type Asked = {
  scope: typeof scopes extends fc.Arbitrary<infer T> ? T : never;
  rest: typeof filters extends fc.Arbitrary<infer T> ? T : never;
};

function queryOf({ scope, rest }: Asked): PlainQuery {
  const { dom, acres, halves, ...others } = rest;
  const bounds = (name: string, range: number[] | undefined) => {
    if (range === undefined) return {};
    const [least, most] = range.toSorted((a, b) => a - b);
    return {
      ...(halves === 'max' ? {} : { [`${name}_min`]: least }),
      ...(halves === 'min' ? {} : { [`${name}_max`]: most }),
    };
  };
  const query = { ...scope, ...others, ...bounds('dom', dom), ...bounds('acres', acres) };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

function parametersOf({ polygons, ...query }: PlainQuery, more: Record<string, string>): string {
  const parameters = new URLSearchParams(more);
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) {
      parameters.append(name, name === 'fips' ? String(item).padStart(5, '0') : String(item));
    }
  }
  if (polygons !== undefined) {
    const coordinates = polygons.map(rings => rings.map(ring => ring.map(([x, y]) => [x / 1e7, y / 1e7])));
    const geometry =
      coordinates.length === 1
        ? { type: 'Polygon', coordinates: coordinates[0] }
        : { type: 'MultiPolygon', coordinates };
    parameters.set('polygon', JSON.stringify(geometry));
  }
  return parameters.toString();
}

type Comp = { id: string; days_on_market: number | null };
type CompPage = { count: number; next: string | null; previous: string | null; results: Comp[] };

async function read(url: string): Promise<CompPage | 'refused'> {
  const reply = await api.call(url, { key });
  if (reply.status === 400 && /"polygon"/.test(reply.text)) return 'refused';
  expect(reply.status, `${url}\n${reply.text}`).toBe(200);
  const page = reply.json as CompPage;
  expect(reply.headers.get('x-tokens-used')).toBe(String(page.results.length));
  return page;
}
const idsOf = (comps: { id: string }[]) => comps.map(comp => comp.id);
const local = (url: string) => url.slice(api.url.length);

test('comps equal those of a simple implementation, in its order, on every page, forward and back', async () => {
  let tried = 0;
  let filled = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ scope: scopes, rest: filters }),
      fc.constantFrom(1, 7, 60, 500),
      integer(1, 5),
      async (asked, size, number) => {
        const query = queryOf(asked);
        const expected = plainComps(listings, query, TODAY);
        // At most a few pages a case.
        const page_size = String(Math.max(size, Math.ceil(expected.length / 6)));
        const path = `/api/public/v1/comps/?${parametersOf(query, { page_size })}`;
        const first = await read(path);
        // A star may cross itself once it is rounded.
        fc.pre(first !== 'refused');
        tried++;
        if (expected.length > 0) filled++;

        const pages = [first];
        for (let at = first; at.next !== null; pages.push(at)) at = (await read(local(at.next))) as CompPage;
        const walked = pages.flatMap(page => page.results);
        expect(idsOf(walked)).toEqual(idsOf(expected));
        expect(pages.every(page => page.count === expected.length)).toBe(true);
        for (const comp of walked)
          expect(comp.days_on_market).toBe(plainDaysOnMarket(byId.get(comp.id)!, TODAY));

        const back: CompPage[] = [pages.at(-1)!];
        while (back[0]!.previous !== null) back.unshift((await read(local(back[0]!.previous))) as CompPage);
        expect(back.flatMap(page => idsOf(page.results))).toEqual(idsOf(walked));

        const numbered = (await read(`${path}&page=${number}`)) as CompPage;
        const start = (number - 1) * Number(page_size);
        expect(idsOf(numbered.results)).toEqual(idsOf(expected.slice(start, start + Number(page_size))));
      },
    ),
    { numRuns: runs(30) },
  );
  // About half of the cases have something to compare.
  expect(filled / tried).toBeGreaterThan(0.3);
});
