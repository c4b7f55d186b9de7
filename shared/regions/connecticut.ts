import { plainWords } from './county-names.ts';
import { countyAt, nearestCounty } from './county-polygons.ts';
import { stateCode } from './states.ts';

/**
 * Connecticut's 169 towns by planning region. The regions replaced the counties in 2022 (87 FR 34235). Source
 * (Census Bureau): https://www2.census.gov/geo/docs/reference/ct_change/ct_cou_to_cousub_crosswalk.txt
 */
const TOWNS: Record<number, string> = {
  9110: `
    Andover, Avon, Berlin, Bloomfield, Bolton, Canton, Columbia, Coventry, East Granby, East Hartford,
    East Windsor, Ellington, Enfield, Farmington, Glastonbury, Granby, Hartford, Hebron, Manchester,
    Mansfield, Marlborough, New Britain, Newington, Plainville, Rocky Hill, Simsbury, Somers, South
    Windsor, Southington, Stafford, Suffield, Tolland, Vernon, West Hartford, Wethersfield, Willington,
    Windsor, Windsor Locks`,
  9120: `
    Bridgeport, Easton, Fairfield, Monroe, Stratford, Trumbull`,
  9130: `
    Chester, Clinton, Cromwell, Deep River, Durham, East Haddam, East Hampton, Essex, Haddam,
    Killingworth, Lyme, Middlefield, Middletown, Old Lyme, Old Saybrook, Portland, Westbrook`,
  9140: `
    Ansonia, Beacon Falls, Bethlehem, Bristol, Cheshire, Derby, Middlebury, Naugatuck, Oxford, Plymouth,
    Prospect, Seymour, Shelton, Southbury, Thomaston, Waterbury, Watertown, Wolcott, Woodbury`,
  9150: `
    Ashford, Brooklyn, Canterbury, Chaplin, Eastford, Hampton, Killingly, Plainfield, Pomfret, Putnam,
    Scotland, Sterling, Thompson, Union, Voluntown, Woodstock`,
  9160: `
    Barkhamsted, Burlington, Canaan, Colebrook, Cornwall, Goshen, Hartland, Harwinton, Kent, Litchfield,
    Morris, New Hartford, Norfolk, North Canaan, Roxbury, Salisbury, Sharon, Torrington, Warren,
    Washington, Winchester`,
  9170: `
    Bethany, Branford, East Haven, Guilford, Hamden, Madison, Meriden, Milford, New Haven, North
    Branford, North Haven, Orange, Wallingford, West Haven, Woodbridge`,
  9180: `
    Bozrah, Colchester, East Lyme, Franklin, Griswold, Groton, Lebanon, Ledyard, Lisbon, Montville, New
    London, North Stonington, Norwich, Preston, Salem, Sprague, Stonington, Waterford, Windham`,
  9190: `
    Bethel, Bridgewater, Brookfield, Danbury, Darien, Greenwich, New Canaan, New Fairfield, New Milford,
    Newtown, Norwalk, Redding, Ridgefield, Sherman, Stamford, Weston, Westport, Wilton`,
};

/**
 * The eight former counties, with the codes that rolls and listings still use, and the regions that replaced
 * them.
 */
const FORMER: readonly { name: string; fips: number; regions: readonly number[] }[] = [
  { name: 'fairfield', fips: 9001, regions: [9120, 9140, 9190] },
  { name: 'hartford', fips: 9003, regions: [9110, 9140, 9160] },
  { name: 'litchfield', fips: 9005, regions: [9140, 9160, 9190] },
  { name: 'middlesex', fips: 9007, regions: [9130] },
  { name: 'new haven', fips: 9009, regions: [9140, 9170] },
  { name: 'new london', fips: 9011, regions: [9130, 9150, 9180] },
  { name: 'tolland', fips: 9013, regions: [9110, 9150] },
  { name: 'windham', fips: 9015, regions: [9150, 9180] },
];
const REGIONS = new Map(FORMER.map(({ fips, regions }) => [fips, regions]));

const REGION_OF_TOWN = new Map(
  Object.entries(TOWNS).flatMap(([region, towns]) =>
    towns.split(',').map(town => [plainWords(town), Number(region)] as const),
  ),
);

export const isFormerCounty = (fips: number): boolean => REGIONS.has(fips);

/** The planning regions that replaced a former county. Empty for other codes. */
export const regionsOfFormer = (fips: number): readonly number[] => REGIONS.get(fips) ?? [];

/** Finds the code of a former Connecticut county by its name. null if there is none. */
export function formerCounty(name: string, state: string): number | null {
  if (stateCode(state) !== 'CT') return null;
  const words = plainWords(name).replace(/ county$/, '');
  return FORMER.find(former => former.name === words)?.fips ?? null;
}

/**
 * The planning region of a place in a former county, determined by town, or else by point. null if unknown.
 */
export function planningRegion(
  former: number,
  town: string | null,
  point: readonly [lon: number, lat: number] | null,
): number | null {
  const [first, ...others] = regionsOfFormer(former);
  if (first !== undefined && others.length === 0) return first;
  const name = plainWords(town ?? '').replace(/^(?:town|city|borough) of | (?:town|city)$/g, '');
  const byTown = REGION_OF_TOWN.get(name);
  if (byTown !== undefined || point === null) return byTown ?? null;
  const county = countyAt(...point) ?? nearestCounty(...point);
  return county !== null && Math.floor(county / 1000) === 9 ? county : null;
}
