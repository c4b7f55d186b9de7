import type { CallContext } from '../../api/http/endpoint.ts';
import type { Resources } from '../../api/v1/common/endpoint-resources.ts';
import { filterBody } from '../../api/v1/parcels/filter/filter-body.ts';
import { filterParcels } from '../../api/v1/parcels/filter/filter-parcels.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { selectionOf } from '../../shared/parcels/filter/filter-selection.ts';
import { bindValues } from '../../shared/platform/named-parameters.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { type County, polygonOf, seedCounties } from './filter-county.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const VERTICES = 500;
const PAGE_SIZE = 500;

const SIZES = {
  full: { filtered: 500_000, walked: 2_000_000, inShape: 10_000, deep: 1_000, rounds: 100, turns: 200 },
  quick: { filtered: 20_000, walked: 20_000, inShape: 1_000, deep: 20, rounds: 3, turns: 5 },
};
type Sizes = typeof SIZES.full;

const MAX_COUNT_RATIO = 1.5;
const MAX_SHAPE_RATIO = 3;
const MAX_DEPTH_RATIO = 1.3;

/**
 * Measures the parcel filter over HTTP with everything on (authentication, rate limit, validation, metering
 * with a durable commit), one request at a time, compared with single statements on a connection with the
 * same settings. The two take turns, and the results are medians.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  const sizes = options.quick ? SIZES.quick : SIZES.full;
  const filtered: County = { fips: 19_153, parcels: sizes.filtered, west: -940_000_000 };
  const walked: County = { fips: 31_055, parcels: sizes.walked, west: -970_000_000 };
  return withBenchDatabase(options, async (url, pool) => {
    options.note(`  writing counties of ${filtered.parcels} and ${walked.parcels} parcels`);
    await seedCounties(pool, [filtered, walked]);
    const key = await createCaller(pool, 'bench');
    return await withServers(url, ['plat'], async ({ plat }) => {
      const ask = asker(plat, key);
      return [
        await compareCount(ask, pool, filtered, sizes.rounds, {
          name: 'acres, vacant and out-of-state owner',
          filters: { acres_min: 1, acres_max: 10, vacant_only: true, out_of_state_owner: true },
        }),
        await compareShape(ask, pool, filtered, sizes),
        await compareDepth(ask, walked, sizes),
      ];
    });
  });
}

type Reply = { count: number; next: string | null; results: { property_id: number }[] };

/** Calls the filter. `at` is the URL of a later page, or the query string for the first page. */
type Ask = (body: object, at?: string) => Promise<Reply>;

function asker(origin: string, key: string): Ask {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return async (body, at = '') => {
    const url = new URL(at, `${origin}/api/public/v1/properties/filter/`);
    // `next` contains the service's configured address, not the port of this run.
    const here = `${origin}${url.pathname}${url.search}`;
    const response = await fetch(here, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The filter answers ${response.status}: ${text}`);
    return JSON.parse(text) as Reply;
  };
}

/** Median milliseconds for both, which are measured in turns. */
export async function alternate(
  work: () => Promise<unknown>,
  reference: () => Promise<unknown>,
  rounds: number,
): Promise<{ work: number; reference: number }> {
  const times = { work: [] as number[], reference: [] as number[] };
  // The JIT compiles the service's code only after a few dozen calls.
  const warmUp = Math.ceil(rounds / 2);
  for (let round = -warmUp; round < rounds; round++) {
    const ms = { work: await timed(work), reference: await timed(reference) };
    if (round < 0) continue;
    times.work.push(ms.work);
    times.reference.push(ms.reference);
  }
  return { work: median(times.work), reference: median(times.reference) };
}

const COUNTY_SIZES = { full: { parcels: 500_000, rounds: 100 }, quick: { parcels: 20_000, rounds: 3 } };

/** Compares one filter with its count in a county of its own. @param seed writes what the filter is about */
export function benchCounty(
  options: BenchOptions,
  filter: { name: string; filters: object },
  seed: (pool: TestDb, fips: number) => Promise<void>,
): Promise<BenchResult> {
  const { parcels, rounds } = options.quick ? COUNTY_SIZES.quick : COUNTY_SIZES.full;
  const county: County = { fips: 19_153, parcels, west: -940_000_000 };
  return withBenchDatabase(options, async (url, pool) => {
    options.note(`  writing a county of ${parcels} parcels`);
    await seedCounties(pool, [county]);
    await seed(pool, county.fips);
    const key = await createCaller(pool, 'bench');
    return await withServers(url, ['plat'], ({ plat }) =>
      compareCount(asker(plat, key), pool, county, rounds, filter),
    );
  });
}

/** Compares the first page of a filter in a county with a count of the same parcels. */
async function compareCount(
  ask: Ask,
  pool: TestDb,
  county: County,
  rounds: number,
  { name, filters }: { name: string; filters: object },
): Promise<BenchResult> {
  const body = { county: String(county.fips), ...filters };
  const { from, where, values } = selectionOf(filterBody.parse(body), { asOf: new Date() });
  const reference = bindValues(`select count(*) from ${from} where ${where}`, values);
  const { count } = await ask(body);
  const { rows } = await pool.query<{ count: number }>(reference);
  if (count === 0 || rows[0]!.count !== count)
    throw new Error(`The filter counts ${count}, the reference ${rows[0]!.count}: times mean nothing.`);

  const ms = await alternate(
    () => ask(body),
    () => pool.query(reference),
    rounds,
  );
  return judged(
    {
      name: `filter by county, ${name} in ${figure(county.parcels)} parcels: first page with count`,
      reference: 'select count(*) with the same predicates',
      value: ms.work / ms.reference,
      unit: 'x',
      details: { ...inMs(ms), found: count, rounds },
    },
    { most: MAX_COUNT_RATIO },
  );
}

async function compareShape(
  ask: Ask,
  pool: TestDb,
  county: County,
  { rounds, inShape }: Sizes,
): Promise<BenchResult> {
  const body = { geom_intersects: polygonOf(county, VERTICES, inShape) };
  const ids = await idsOf(ask, body);
  if (Math.abs(ids.length / inShape - 1) > 0.2)
    throw new Error(`The polygon holds ${ids.length} parcels instead of some ${inShape}.`);
  const statement = {
    name: 'ids by key',
    text: 'select property_id from parcel_filters where fips = $1::int and property_id = any ($2::bigint[])',
    values: [county.fips, ids],
  };
  const { rows } = await pool.query(statement);
  if (rows.length !== ids.length) throw new Error(`The reference finds ${rows.length} of ${ids.length}.`);

  const ms = await alternate(
    () => ask(body),
    () => pool.query(statement),
    rounds,
  );
  const { work: handlerMs } = await alternate(handler(pool, body), () => pool.query(statement), rounds);
  return judged(
    {
      name: `filter by a polygon of ${VERTICES} vertices that holds ${figure(ids.length)} parcels: first page with count`,
      reference: 'select of their ids by primary key',
      value: ms.work / ms.reference,
      unit: 'x',
      details: {
        ...inMs(ms),
        'without HTTP, ms': handlerMs.toFixed(1),
        parcels: county.parcels,
        rounds,
      },
    },
    { most: MAX_SHAPE_RATIO },
  );
}

/** Runs the endpoint without HTTP: validates a body and builds the response in this process. */
function handler(pool: TestDb, body: object): () => Promise<unknown> {
  const resources = { db: pool.forApi(), cursorSecret: async () => Buffer.alloc(32) };
  const url = new URL('http://localhost/');
  const call = { url, apiUrl: url.origin, appUrl: url.origin, now: new Date(), work: COMPUTE_HERE };
  const query = filterParcels.query.parse({});
  return async () =>
    filterParcels.handle(
      { params: {}, query, body: filterBody.parse(body) },
      resources as unknown as Resources,
      call as CallContext,
    );
}

/** All ids that a filter finds, page by page. */
async function idsOf(ask: Ask, body: object): Promise<number[]> {
  const ids: number[] = [];
  for (let at: string | null = `?page_size=${PAGE_SIZE}`; at !== null; ) {
    const page: Reply = await ask(body, at);
    ids.push(...page.results.map(parcel => parcel.property_id));
    at = page.next;
  }
  return ids;
}

/** Only the first page computes the count, so a deep page is compared with the second. */
async function compareDepth(ask: Ask, county: County, { deep, turns }: Sizes): Promise<BenchResult> {
  const body = { county: String(county.fips) };
  const first = `?page_size=${PAGE_SIZE}`;
  const addresses: (string | null)[] = [first];
  let reached: Reply | undefined;
  for (let number = 1; number <= deep; number++) {
    reached = await ask(body, addresses.at(-1)!);
    addresses.push(reached.next);
  }
  // The filter finds every parcel of the county, and their serials have no gaps.
  const expected = county.fips * 1e8 + (deep - 1) * PAGE_SIZE + 1;
  if (reached!.results[0]!.property_id !== expected || reached!.count !== county.parcels)
    throw new Error(`Page ${deep} begins at ${reached!.results[0]!.property_id}, not at ${expected}.`);

  const ms = await alternate(
    () => ask(body, addresses[deep - 1]!),
    () => ask(body, addresses[1]!),
    turns,
  );
  const firstMs: number[] = [];
  for (let round = 0; round < 5; round++) firstMs.push(await timed(() => ask(body, first)));
  return judged(
    {
      name: `page ${figure(deep)} of a walk of ${figure(county.parcels)} parcels by cursor, ${PAGE_SIZE} a page`,
      reference: 'its second page (the first one counts besides)',
      value: ms.work / ms.reference,
      unit: 'x',
      details: { ...inMs(ms), 'first page with its count, ms': median(firstMs).toFixed(1), rounds: turns },
    },
    { most: MAX_DEPTH_RATIO },
  );
}

export const inMs = (ms: { work: number; reference: number }) => ({
  'ms, median': ms.work.toFixed(1),
  'reference ms, median': ms.reference.toFixed(1),
});

export const figure = (count: number) => count.toLocaleString('en-US');
