import { overlayOf, putOverlays } from '../support/overlays.ts';
import type { TestDb } from '../support/test-db.ts';
import type { BenchOptions } from './bench.ts';
import { benchCounty } from './filter.ts';

/**
 * Measures the parcel filter by two overlays over HTTP, as the `filter` bench does without overlays. Both
 * overlays cover the whole county. Half of the parcels are in two zones, and one in four is within a mile of
 * a railroad.
 */
export const bench = (options: BenchOptions) =>
  benchCounty(
    options,
    {
      name: 'share of a zone, and distance to a railroad',
      filters: {
        overlays: [
          { name: 'zoning', classes: ['zone 1', 'zone 2'], percent_min: 50 },
          { name: 'railroads', distance_ft_max: 1_320 },
        ],
      },
    },
    seedOverlays,
  );

const ZONES = Array.from({ length: 8 }, (_, i) => `zone ${i}`);

async function seedOverlays(pool: TestDb, fips: number): Promise<void> {
  await putOverlays(pool, [overlayOf('zoning', ZONES), overlayOf('railroads', ['railroads'], 5_280)], []);
  // Hashes of the id give the same figures in every run.
  await pool.query(
    `insert into parcel_overlays (fips, overlay, property_id, percent, classes, percents, nearest_ft, numbers)
     select fips, 'zoning', property_id, 100,
       case when u % 2 = 0 then array[zone] else array[zone, 'zone ' || (u / 2 + 1) % 8] end,
       case when u % 2 = 0 then array[100] else array[50 + u % 50, 50 - u % 50] end, null::real, jsonb '{}'
     from parcel_filters, lateral (select hashint8(property_id) & 1048575) h (u),
       lateral (select 'zone ' || (u / 2) % 8) z (zone)
     where fips = $1::int
     union all
     select fips, 'railroads', property_id, 0, '{}', '{}', case when u % 4 = 0 then (u / 4) % 5280 end, '{}'
     from parcel_filters, lateral (select hashint8extended(property_id, 1) & 1048575) h (u)
     where fips = $1::int`,
    [fips],
  );
  await pool.query('vacuum analyze parcel_overlays');
}
