import { areaSqM } from '../../../shared/geo/geodesic-area.ts';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { SQ_M_PER_ACRE } from '../../../shared/geo/units.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import type { ColumnSpec } from '../column-schema.ts';
import type { ParcelTarget } from '../parcel-targets.ts';
import { parseNumber } from '../values/number-value.ts';
import { tidyText } from '../values/text-value.ts';
import { matchColumnName } from './suggest-names.ts';

export type Profile = {
  name: string;
  ideas: ReadonlySet<string>;
  /** By row. Null for empty cells. */
  texts: readonly (string | null)[];
  filled: readonly string[];
  /** By row. Null for empty cells and for text that is not a number. */
  numbers: readonly (number | null)[];
  numeric: number;
  distinct: number;
  /** Whether the values count up from row to row, like a table's row ids. */
  serial: boolean;
};

/**
 * How well a column's values support a field, and how to read them. Null when the values are something else.
 */
export type Fit = { support: number; doubt?: number; spec?: Omit<ColumnSpec, 'column'>; why: string } | null;

export type Candidate = {
  field: ParcelTarget;
  columns: string[];
  spec: ColumnSpec;
  /** From 0 to 1. */
  confidence: number;
  why: string;
};

/** Combines the confidence in the name with that in the values. The name alone reaches 0.86. */
export const confidenceOf = (name: number, support: number): number => 1 - (1 - 0.9 * name) * (1 - support);

/** Maximum number of columns between the parts of an address. */
export const MAX_PART_DISTANCE = 4;

export function profileOf(name: string, alias: string | undefined, values: readonly unknown[]): Profile {
  const texts = values.map(value =>
    typeof value === 'object' && value !== null && !(value instanceof Date) ? null : tidyText(value),
  );
  const filled = texts.filter(text => text !== null);
  const numbers = texts.map(text => {
    const parsed = parseNumber(text);
    return typeof parsed === 'number' ? parsed : null;
  });
  const known = numbers.filter(value => value !== null);
  const steps = known.filter((value, i) => i > 0 && value - known[i - 1]! === 1).length;
  const own = matchColumnName(name);
  const other = alias === undefined ? own : matchColumnName(alias);
  return {
    name,
    texts,
    filled,
    numbers,
    ideas: other.known > own.known ? other.ideas : own.ideas,
    numeric: known.length / Math.max(1, filled.length),
    distinct: new Set(filled).size,
    serial: known.length >= 5 && steps >= 0.9 * (known.length - 1) && known[0]! < 1e6,
  };
}

/** Acres within each row's boundary, on the ellipsoid, or null for rows without an area. */
export function measuredAcres(rows: readonly SourceRow[]): (number | null)[] {
  return rows.map(({ geometry }) => {
    const prepared = prepareBoundary(geometry);
    return prepared.ok ? areaSqM(prepared.polygons) / SQ_M_PER_ACRE : null;
  });
}

/** '12 MAIN ST WASHINGTON 03280', '12 MAIN ST, WASHINGTON, NH', but not 'COUNTY ROAD 12345'. */
const ENDS_IN_PLACE = /\S[ ,]+\d{5}(-?\d{4})?$|,[^,]*,? [A-Z]{2}$/i;
const NUMBERED_ROAD =
  /\b(HWY|HIGHWAY|RTE|ROUTE|RT|CR|SR|FM|US|RD|ROAD|BOX|LOT|UNIT|APT|STE|SUITE|#) ?\d{5}$/i;
const IN_PLACE = 0.3;
/** Whether many address lines continue with a city, state, or ZIP code. */
export const endInPlaces = ({ filled }: Profile): boolean =>
  filled.filter(text => ENDS_IN_PLACE.test(text) && !NUMBERED_ROAD.test(text)).length >
  IN_PLACE * filled.length;

/** 'COTTAGE GROVE MN 55016' */
export const CITY_STATE_ZIP = /\b[A-Z]{2},? +\d{5}(-?\d{4})?$/i;
export const averageLength = ({ filled }: Profile): number =>
  filled.reduce((sum, text) => sum + text.length, 0) / Math.max(1, filled.length);
