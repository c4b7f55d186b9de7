import { isoDate } from '../model/figures.ts';
import { sql } from '../platform/statements.ts';
import { countyText } from '../regions/counties.ts';
import { type ExportRequest, FILE_TYPES } from './export-request.ts';

/** A file's order, with what its list or its only market is called; null where these are none, or gone. */
export type NamedOrder = { request: ExportRequest; subject: string | null };

export const SUBJECT = sql('exports/subject_of_export');

/** Where comps or parcels are asked for, where that is one county or ZIP. */
function placeOf({ filter, comps }: ExportRequest): string {
  const fips = filter?.county ?? comps?.fips;
  if (typeof fips === 'string') return countyText(Number(fips));
  const zip = filter?.zip ?? comps?.zip;
  return typeof zip === 'string' ? `ZIP ${zip}` : '';
}

/** What a file is of, in short; empty where that has no name. */
export function shortNameOf({ request, subject }: NamedOrder): string {
  if (subject !== null) return subject;
  return request.markets ? `${request.markets.length} markets` : placeOf(request);
}

const LONGEST = 60;

/** Small letters and digits of a name, which any file may be called by. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');

/** `plat-spring-mailing-2026-11-28.csv`. @param n its part; 0 for the whole */
export function fileNameOf(order: NamedOrder & { id: string; created_at: Date }, n: number): string {
  const name = slugOf(shortNameOf(order)) || order.id.slice(0, 8);
  const { extension } = FILE_TYPES[order.request.format];
  return `plat-${name}-${isoDate(order.created_at)}${n === 0 ? '' : `-${n}`}.${extension}`;
}
