import type { Mapping } from '../../engine/check-part.ts';
import { checkPart, type DryRun } from '../../engine/dry-run.ts';
import { compsOf } from '../listings/check-comps.ts';
import { type AssessorFeed, PARCEL_ROWS, type ParcelInput } from './assessor-feed.ts';
import { compileParcelMapper, showsSales } from './map-parcel.ts';
import { SAME_FORM } from './parcel-gates.ts';
import { noteParcels } from './parcel-notes.ts';
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

/** Reads the geometry, and searches it for the keys of the roll's first rows. */
async function checkShape(
  dryRun: DryRun,
  shape: ParcelInput,
  mapping: Omit<Mapping, 'columns'>,
  keys: Set<string>,
): Promise<void> {
  const { result } = dryRun;
  const checked = keys.size;
  // The roll's first rows can be anywhere in the geometry file, so read until all are found. Don't read that
  // much from a server.
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
    `shape: none of the first ${checked} keys of the roll is in the shape file. The roll has keys such as ${unmatched[0]}, the shape file ${example}. ${SAME_FORM}`,
  );
}
