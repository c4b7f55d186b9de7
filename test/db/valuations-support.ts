import type { Random } from '../bench/generate/random.ts';
import { insertParcels } from '../support/parcels.ts';
import type { TestDb } from '../support/test-db.ts';

/**
 * Three counties side by side, the first with many sales and small steps, the last with few and large ones.
 */
export const COUNTIES = [33_005, 33_019, 33_013] as const;
const WIDTH_DEG = 0.3;
const [WEST, SOUTH] = [-72.6, 43];
export const AS_OF = '2026-06-30';

export type SaleRow = Record<string, unknown> & { source_id: string };

const pick = <T>(random: Random, values: readonly T[]) => values[Math.floor(random() * values.length)]!;
const dayBefore = (days: number) =>
  new Date(Date.parse(AS_OF) - days * 86_400_000).toISOString().slice(0, 10);

/** A place in or near a county: now and then a comp stands in another county than it says. */
function placeOf(random: Random, county: number, spread = 1): { longitude: number; latitude: number } {
  const at = random() < 0.05 ? Math.floor(random() * 3) : COUNTIES.indexOf(county as 33_005);
  const around = (low: number) => low + WIDTH_DEG * (0.5 + (random() - 0.5) * spread);
  return {
    longitude: Number(around(WEST + at * WIDTH_DEG).toFixed(6)),
    latitude: Number(around(SOUTH).toFixed(6)),
  };
}

/** A comp of a listings feed: mostly a sale, at times an absurd one. */
export function randomComp(random: Random, id: string): SaleRow {
  const county = random() < 0.75 ? COUNTIES[0] : random() < 0.8 ? COUNTIES[1] : COUNTIES[2];
  const acres = Number(Math.exp(1 + 1.2 * (random() + random() + random() - 1.5)).toFixed(3));
  const absurd = random() < 0.05 ? pick(random, [0.002, 300]) : 1;
  const price = Math.round(9_000 * absurd * acres ** 0.45 * (0.6 + 0.8 * random())) + 1;
  const status = random() < 0.85 ? 'SOLD' : pick(random, ['ACTIVE', 'PENDING']);
  return {
    source_id: id,
    status,
    state: 'NH',
    fips: String(county),
    lot_acres: acres,
    ...placeOf(random, county),
    ...(status === 'SOLD'
      ? // A few are of after the day for which is valued.
        { sold_price: price, sold_date: dayBefore(Math.floor(random() * 2_000) - 20) }
      : { list_price: price, listed_date: dayBefore(Math.floor(random() * 300)) }),
  };
}

/** Parcels of the three counties, some of them far from every comp, some of unknown size. */
export async function seedParcels(pool: TestDb, random: Random, count: number): Promise<void> {
  const parcels = Array.from({ length: count }, (_, i) => {
    const county = pick(random, COUNTIES);
    const { longitude, latitude } = placeOf(random, county, 1.3);
    const acres = random() < 0.02 ? null : Number(Math.exp(4 * random() - 1).toFixed(2));
    const location = `(${Math.round(longitude * 1e7)},${Math.round(latitude * 1e7)})`;
    return { property_id: county * 1e8 + i + 1, location, acres };
  });
  await insertParcels(pool, parcels);
  await pool.query(
    'insert into county_serials (fips, last_serial) select unnest($1::int[]), 1e6 on conflict do nothing',
    [COUNTIES],
  );
}

/** Takes everything away. */
export async function clearMarket(pool: TestDb): Promise<void> {
  await pool.query(`truncate parcels, parcel_filters, county_serials, listings, listing_events, valuations, valuations_dirty,
    valuation_counties, comp_land, jobs`);
}

export function parcelAt(fips: number, serial: number, lon: number, lat: number, acres: number) {
  const location = `(${Math.round(lon * 1e7)},${Math.round(lat * 1e7)})`;
  return { property_id: fips * 1e8 + serial, location, acres };
}

export function saleAt(
  id: string,
  fips: number,
  longitude: number,
  latitude: number,
  acres: number,
  price: number,
  sold = '2026-01-15',
): SaleRow {
  return {
    source_id: id,
    status: 'SOLD',
    state: 'NH',
    fips: String(fips),
    lot_acres: acres,
    longitude,
    latitude,
    sold_price: Math.round(price),
    sold_date: sold,
  };
}
