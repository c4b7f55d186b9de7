import type { Db } from '../../shared/platform/db.ts';
import { literal } from '../../shared/platform/statements.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/** Half-way between Washington's 10 % and the 47 % without its local roads (docs/benchmarks.md). */
const MAX_PERCENT = 30;
/** Fewer say nothing of a county: a strip that the next county's roads cover has more or less by chance. */
const MIN_PARCELS = 100;

type LandlockedCounty = {
  fips: number;
  name: string | null;
  state: string | null;
  known: number;
  landlocked: number;
};

/** Warns about counties with an implausible share of landlocked parcels. @param fips null for all */
export async function landlockedWarnings(db: Db, fips: number | null): Promise<string[]> {
  const county = fips === null ? 'true' : `fips = ${literal(fips)}`;
  const rows = await db.run<LandlockedCounty>(
    'land/list_landlocked_counties',
    { least_known: MIN_PARCELS, percent: MAX_PERCENT },
    { county },
  );
  return rows.map(warningOf);
}

function warningOf({ fips, name, state, known, landlocked }: LandlockedCounty): string {
  const place = name === null ? '' : ` (${name}, ${state})`;
  const [some, all] = [landlocked, known].map(parcels => parcels.toLocaleString('en-US'));
  const percent = Math.round((100 * landlocked) / known);
  return (
    `County ${fiveDigits(fips)}${place}: ${some} of ${all} parcels, ${percent} %, came out landlocked, more than is plausible. ` +
    'Either roads are missing (see that the roads feed has all of the county, and what its `layer.columns.class` takes for `none`), ' +
    "or the roll draws streets or water as parcels (leave them out with `roll.skip_where` of the assessor's feed). " +
    '`plat parcel show ID --svg FILE` draws what lies between a parcel and its road.'
  );
}
