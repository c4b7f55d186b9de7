import { PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { MIN_SALE_PRICE } from '../../../../shared/model/sale-flags.ts';
import type { Sales } from '../../../feeds/feed.ts';
import {
  type Mapping,
  type PartCheck,
  type PricedSales,
  type RowNotes,
  wordKeys,
} from '../../engine/check-part.ts';
import { checkPart, type DryRun } from '../../engine/dry-run.ts';
import { type MappedRow, positionsOf } from '../../engine/map-fields.ts';
import { countClass, newClasses } from '../../engine/run-counts.ts';
import { compCounter, compsOf } from '../listings/check-comps.ts';
import { countsOf } from '../listings/listing-notes.ts';
import { type AssessorFeed, PARCEL_ROWS, type ParcelInput } from './assessor-feed.ts';
import { compileParcelMapper, type MappedParcel, showsSales } from './map-parcel.ts';
import { SAME_FORM } from './parcel-gates.ts';
import { parcelPlaces } from './parcel-places.ts';

const UNMATCHED_SHOWN = 5;

export async function checkAssessor(dryRun: DryRun, feed: AssessorFeed): Promise<void> {
  const { result } = dryRun;
  const places = parcelPlaces(feed);
  const mapping = (input: ParcelInput, place: Mapping['place']) => {
    const sales = input !== feed.shape && showsSales(input) ? feed.sales : null;
    const map = compileParcelMapper(input, { fips: feed.fips, sales });
    return { fields: PARCEL_ROWS, map, place, notes: noteParcels(sales) };
  };
  const keys = new Set<string>();
  await checkPart(dryRun, 'roll', feed.roll, mapping(feed.roll, places.add), key => keys.add(key));
  for (const [i, input] of feed.furtherRolls.entries())
    await checkPart(dryRun, `roll ${i + 2}`, input, mapping(input, places.add));
  if (feed.shape !== null) await checkShape(dryRun, feed.shape, mapping(feed.shape, places.addShape), keys);
  result.problems.push(...places.problems());
  result.warnings.push(...places.warnings());
  result.comps = compsOf(feed.fips, feed.sales !== null, result.parts);
}

/** Reads the geometry, and searches it for the keys in the roll's first rows. */
async function checkShape(
  dryRun: DryRun,
  shape: ParcelInput,
  mapping: Omit<Mapping, 'columns'>,
  keys: Set<string>,
): Promise<void> {
  const { result } = dryRun;
  const checked = keys.size;
  // The roll's first rows can be anywhere in the geometry file, so read until all of them are found. Don't
  // read that much from a server.
  const isServer = shape.input.format === 'arcgis';
  const more = () => !isServer && keys.size > 0;
  let example: string | undefined;
  const onKey = (key: string) => {
    example ??= key;
    keys.delete(key);
  };
  await checkPart(dryRun, 'shape', shape, mapping, onKey, more);
  if (isServer) {
    result.warnings.push(
      "shape: Plat read only the first rows of the layer, so it doesn't know whether the roll's keys are in it.",
    );
    return;
  }
  const unmatched = [...keys].slice(0, UNMATCHED_SHOWN);
  result.keys = { checked, matched: checked - keys.size, unmatched };
  if (checked === 0 || checked > keys.size || example === undefined) return;
  // The keys may be in rows that were not read.
  const findings = result.parts[0]!.whole ? result.problems : result.warnings;
  findings.push(
    `shape: none of the first ${checked} keys in the roll are in the shape file. The roll has keys such as ${unmatched[0]}, and the shape file has keys such as ${example}. ${SAME_FORM}`,
  );
}

/** The dry run's notes on a roll: its sales, large lots, and parcels that share a word as their key. */
const noteParcels =
  (sales: Sales | null) =>
  (check: PartCheck): RowNotes<MappedParcel> => {
    const { part } = check;
    const priced: PricedSales = { rows: 0, vacant: 0, codes: newClasses() };
    check.priced = priced;
    const comps = sales && compCounter('assessor', sales.minPrice);
    const large = largeLots();
    const words = wordKeys();
    return {
      mapped({ rowNo, geometry }, { values }) {
        notePriced(priced, values);
        if (geometry === null) large.note(rowNo, values);
      },
      used(row, parcel) {
        comps?.add(parcel);
        words.note(row, parcel.key);
      },
      warnings: doubtful => [...doubtful, ...large.warnings(part), ...words.warnings(part)],
      finish: () => void (comps && Object.assign(check, countsOf(comps))),
    };
  };

const AT = positionsOf(PARCEL_FIELD_NAMES);

function notePriced(priced: PricedSales, values: MappedRow['values']): void {
  const price = values[AT.last_sale_price];
  if (values[AT.last_sale_date] === null || typeof price !== 'number' || price < MIN_SALE_PRICE) return;
  priced.rows++;
  if (values[AT.vacant] === true) priced.vacant++;
  if (values[AT.sale_price_code] !== null) countClass(priced.codes, String(values[AT.sale_price_code]));
}

/** Few lots are this large. If there is no measured area to compare with, the unit may be wrong. */
const LARGE_ACRES = 10_000;

/** Counts large lots that have no measured area to compare with. */
function largeLots() {
  let count = 0;
  let largest = { rowNo: 0, acres: 0 };
  return {
    note(rowNo: number, values: MappedRow['values']): void {
      const acres = Number(values[AT.acres] ?? 0);
      if (acres < LARGE_ACRES) return;
      count++;
      if (acres > largest.acres) largest = { rowNo, acres };
    },
    warnings(part: string): string[] {
      if (count === 0) return [];
      return [
        `${part}: ${count} parcels without a shape have ${LARGE_ACRES} acres or more; the largest has ${largest.acres} (row ${largest.rowNo}). Check the unit of acres, or skip them with skip_where.`,
      ];
    },
  };
}
