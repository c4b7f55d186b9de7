import { ADJUSTMENTS } from '../../shared/comping/report.ts';
import type { Result } from '../../shared/comping/result.ts';
import { METRES_A_MILE } from './comping-filter.ts';

const HEADS = [
  ...[
    'id',
    'status',
    'address',
    'city',
    'state',
    'zip',
    'apn',
    'latitude',
    'longitude',
    'acres',
    'price',
    'sold_date',
    'miles',
    'price_per_acre',
  ],
  ...ADJUSTMENTS.flatMap(name => [`${name}_percent`, `${name}_reason`]),
  ...['adjusted_price_per_acre', 'weight_percent', 'source', 'url'],
];

/** The chosen comps as RFC 4180 has it, with a mark that tells spreadsheets that it is UTF-8. */
export function csvOf(result: Result | null): string {
  const lines = (result?.lines ?? []).map(({ comp, ppa, adjustments, adjusted_ppa, weight }) => [
    ...[
      comp.id,
      comp.status,
      comp.address,
      comp.city,
      comp.state,
      comp.zip,
      comp.apn,
      Number(comp.lat.toFixed(7)),
      Number(comp.lon.toFixed(7)),
      Number(comp.acres.toFixed(6)),
      comp.price,
    ],
    ...[comp.sold_date, rounded(comp.distance_m / METRES_A_MILE), rounded(ppa)],
    ...ADJUSTMENTS.flatMap(name => [rounded(adjustments[name].percent), adjustments[name].reason]),
    ...[rounded(adjusted_ppa), rounded(100 * weight), comp.source, comp.url],
  ]);
  return `\ufeff${[HEADS, ...lines].map(line => `${line.map(cell).join(',')}\r\n`).join('')}`;
}

const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(100 * value) / 100;

/**
 * Text that a spreadsheet would take for a formula is set off by an apostrophe (OWASP, CSV injection); figures are ours and stay
 * figures.
 */
function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^\s*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
