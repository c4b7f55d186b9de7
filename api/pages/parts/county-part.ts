import { MAX_TOWNS } from '../../../shared/feeds/county-record.ts';
import { listCountyBoxes, listNotedTowns, listTowns } from '../../../shared/feeds/feed-statements.ts';
import { boxArea } from '../../../shared/geo/box.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';

/** If the parcels' box covers less than this share of the county's box, only part of the county is loaded. */
const MOST_OF_PART = 0.5;
const MAX_NAMED = 3;

/**
 * Describes what is loaded for partially loaded counties, such as `1 town: Washington`.
 * @param counties null for all counties
 */
export async function readParts(db: Db, counties: readonly number[] | null): Promise<Map<number, string>> {
  const fips = await findParts(db, counties);
  const towns = fips.length === 0 ? new Map<number, string[]>() : await listNotedTowns(db, fips);
  return new Map(fips.map(each => [each, partText(towns.get(each) ?? [])]));
}

/** The same for one county, based on its parcels. Null if the county appears to be complete. */
export async function readPart(db: Db, county: number): Promise<string | null> {
  if ((await findParts(db, [county])).length === 0) return null;
  return partText(await listTowns(db, county, MAX_TOWNS));
}

/**
 * Plat doesn't have a list of a county's towns, so the extent of the parcels shows whether some are missing.
 */
async function findParts(db: Db, counties: readonly number[] | null): Promise<number[]> {
  const boxes = await listCountyBoxes(db, counties);
  return [...boxes].flatMap(([fips, box]) => {
    const county = countyExtent(fips);
    const isPart = county !== undefined && boxArea(box) < MOST_OF_PART * boxArea(county);
    return isPart ? [fips] : [];
  });
}

function partText(towns: readonly string[]): string {
  if (towns.length === 0 || towns.length > MAX_NAMED) return 'part of the county';
  return `${towns.length === 1 ? '1 town' : `${towns.length} towns`}: ${towns.map(titleCase).join(', ')}`;
}
