import type { Db } from '../../shared/platform/db.ts';
import { literal } from '../../shared/platform/statements.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/**
 * About halfway between the 10% in Washington, NH, and the 47% there without the town's local roads
 * (docs/benchmarks.md).
 */
const MAX_PERCENT = 30;
/**
 * With fewer parcels, the share isn't conclusive. For example, in a strip that is covered only by the next
 * county's roads, the share is random.
 */
const MIN_PARCELS = 100;

type LandlockedCounty = {
  fips: number;
  name: string | null;
  state: string | null;
  known: number;
  /** Landlocked, or reached by a way that isn't mapped. */
  unserved: number;
};

/** Warns about counties where implausibly many parcels have no mapped road. @param fips null for all */
export async function landlockedWarnings(db: Db, fips: number | null): Promise<string[]> {
  const county = fips === null ? 'true' : `fips = ${literal(fips)}`;
  const rows = await db.run<LandlockedCounty>(
    'land/list_landlocked_counties',
    { least_known: MIN_PARCELS, percent: MAX_PERCENT },
    { county },
  );
  return rows.map(warningOf);
}

function warningOf({ fips, name, state, known, unserved }: LandlockedCounty): string {
  const place = name === null ? '' : ` (${name}, ${state})`;
  const [some, all] = [unserved, known].map(parcels => parcels.toLocaleString('en-US'));
  const percent = Math.round((100 * unserved) / known);
  return (
    `County ${fiveDigits(fips)}${place}: ${some} of ${all} parcels, ${percent}%, have no mapped road, which is too many to be plausible. ` +
    'Either roads are missing (check that the roads feed covers the whole county, and what its `layer.columns.class` maps to `none`), ' +
    'or the roll has streets or water as parcels (skip them with `roll.skip_where` in the assessor feed). ' +
    'To see what is between a parcel and its road, run `plat parcel show ID --svg FILE`.'
  );
}
