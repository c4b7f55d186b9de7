import { isoDate } from '../model/figures.ts';
import { sql } from '../platform/statements.ts';
import { countyText } from '../regions/counties.ts';
import { type ExportRequest, FILE_TYPES } from './export-request.ts';

/** An order with the name of its list or its only market. Null if it has neither, or if it was deleted. */
export type NamedOrder = { request: ExportRequest; subject: string | null };

export const SUBJECT = sql('exports/subject_of_export');

/** The county or ZIP, if the order is limited to one. */
function placeOf({ filter, comps }: ExportRequest): string {
  const fips = filter?.county ?? comps?.fips;
  if (typeof fips === 'string') return countyText(Number(fips));
  const zip = filter?.zip ?? comps?.zip;
  return typeof zip === 'string' ? `ZIP ${zip}` : '';
}

/** A short name for the file's content; empty if there is none. */
export function shortNameOf({ request, subject }: NamedOrder): string {
  if (subject !== null) return subject;
  return request.markets ? `${request.markets.length} markets` : placeOf(request);
}

const LONGEST = 60;

/** Converts a name to lowercase letters, digits, and hyphens, which are safe in any file system. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');

/** `plat-spring-mailing-2026-11-28.csv`. @param n the part number, or 0 for the whole file */
export function fileNameOf(order: NamedOrder & { id: string; created_at: Date }, n: number): string {
  const name = slugOf(shortNameOf(order)) || order.id.slice(0, 8);
  const { extension } = FILE_TYPES[order.request.format];
  return `plat-${name}-${isoDate(order.created_at)}${n === 0 ? '' : `-${n}`}.${extension}`;
}
