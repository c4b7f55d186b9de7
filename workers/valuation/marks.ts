import { addTo } from '../../shared/kernels/groups.ts';
import type { Change } from './reached.ts';

/** A row of valuations_dirty. */
export type Mark = {
  id: number;
  fips: number | null;
  lon: number | null;
  lat: number | null;
  acres: number | null;
  land_of: number | null;
};

/** Of a place where a comp came, changed or went. */
export type PlaceMark = Mark & Change;

/** Whose land is known to be other than it was. */
export type LandChanges = { counties: Set<number>; parcels: Map<number, number[]> };

export type Marks = {
  /** All is to be valued anew. */
  market: boolean;
  /** To be valued as a whole. */
  counties: Set<number>;
  places: PlaceMark[];
  land: LandChanges;
  /** Ids of the marks that a refresh deals with itself. */
  done: number[];
};

/** Stands for the whole market among counties, and for the whole county among its parcels. */
const WHOLE = 0;
/** More parcels of a county are as good as all of it. */
const MOST_LAND_PARCELS = 200;

export function groupMarks(rows: readonly Mark[]): Marks {
  const marks: Marks = {
    ...{ market: false, counties: new Set(), places: [], done: [] },
    land: { counties: new Set(), parcels: new Map() },
  };
  const { land } = marks;
  for (const row of rows) {
    if (row.fips === null) marks.places.push(row as PlaceMark);
    else if (row.land_of !== null) {
      if (row.land_of === WHOLE) land.counties.add(row.fips);
      else addTo(land.parcels, row.fips, row.land_of);
    } else if (row.fips === WHOLE) marks.market = true;
    else marks.counties.add(row.fips);
    if (row.fips === null || row.land_of !== null) marks.done.push(row.id);
  }
  for (const [fips, parcels] of land.parcels) if (parcels.length > MOST_LAND_PARCELS) land.counties.add(fips);
  for (const fips of land.counties) land.parcels.delete(fips);
  return marks;
}
