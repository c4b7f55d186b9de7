import { ADJUSTMENTS } from '../../shared/comping/report.ts';
import type { Result } from '../../shared/comping/result.ts';
import { csv } from '../../shared/csv.ts';
import { METRES_A_MILE } from './comping-filter.ts';

/** The columns, in their order; each adjustment has its percentage and the reason of who changed it. */
const COLUMNS = [
  ...['id', 'status', 'address', 'city', 'state', 'zip', 'apn', 'latitude', 'longitude', 'acres', 'price'],
  ...['sold_date', 'miles', 'price_per_acre'],
  ...ADJUSTMENTS.flatMap(name => [`${name}_percent`, `${name}_reason`]),
  ...['adjusted_price_per_acre', 'weight_percent', 'source', 'url'],
];

/** The chosen comps. */
export function csvOf(result: Result | null): string {
  const rows = (result?.lines ?? []).map(({ comp, ppa, adjustments, adjusted_ppa, weight }) => ({
    ...comp,
    latitude: Number(comp.lat.toFixed(7)),
    longitude: Number(comp.lon.toFixed(7)),
    acres: Number(comp.acres.toFixed(6)),
    miles: rounded(comp.distance_m / METRES_A_MILE),
    price_per_acre: rounded(ppa),
    ...Object.fromEntries(
      ADJUSTMENTS.flatMap(name => [
        [`${name}_percent`, rounded(adjustments[name].percent)],
        [`${name}_reason`, adjustments[name].reason],
      ]),
    ),
    adjusted_price_per_acre: rounded(adjusted_ppa),
    weight_percent: rounded(100 * weight),
  }));
  return csv<Record<string, unknown>>(rows, COLUMNS);
}

const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(100 * value) / 100;
