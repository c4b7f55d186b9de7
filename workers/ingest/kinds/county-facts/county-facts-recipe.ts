import { copyValue } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { countyName } from '../../../../shared/regions/counties.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import { compileFill, mapperOf, rejectRow } from '../../engine/map-fields.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import { digest } from '../../engine/row-hash.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows } from '../../engine/run-counts.ts';
import { keepFirst, stageByCopy } from '../../engine/stage-rows.ts';
import { COUNTY_FACT_ROWS, type CountyFactsFeed, type CountyFactsInput } from './county-facts-feed.ts';

/** Facts about counties. A feed's counties that its source no longer lists are deleted. */
export const countyFactsRecipe: Recipe<CountyFactsFeed, void> = {
  tables: [sql('market/create_county_facts_stage')],
  stage: (run, { county_facts: { input, ...mapping } }) =>
    stageByCopy(
      run,
      { name: 'county_facts', input, map: compileCountyMapper(mapping) },
      'copy stage_county_facts from stdin',
      write =>
        ({ values, fips }, { rowNo }) => {
          countFilled(run.counts.filled, COUNTY_FACT_ROWS.names, values);
          const cells = (values.slice(1) as (number | null)[]).map(copyValue).join('\t');
          write([rowNo, fips, cells, digest(cells)].join('\t'));
        },
    ),
  compare,
  check: (dryRun, { county_facts: input }) =>
    checkPart(dryRun, 'county_facts', input, { fields: COUNTY_FACT_ROWS, map: compileCountyMapper(input) }),
};

async function compare(db: Db, run: RunContext, { gates }: CountyFactsFeed): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  await keepFirst(db, run, { table: 'stage_county_facts', key: 'fips', order: 'row_no desc' });
  const rows = await measureRows(db, run, 'market/measure_county_facts', { feed_id: feedId });
  return {
    gate: checkListGates(run, rows, gates, 'counties'),
    touched: counts.new + counts.changed + counts.retired > 0,
    async merge(tx) {
      await tx.run('market/delete_gone_county_facts', { feed_id: feedId });
      await tx.run('market/upsert_county_facts', { feed_id: feedId });
    },
  };
}

const GEO_ID = /^(\d{3})[\dA-Z]{4}US(\d*)$/;
const COUNTY_LEVEL = '050';

/** Compiles the mapping for county facts. Rows for an unknown county are rejected. */
function compileCountyMapper(input: Omit<CountyFactsInput, 'input'>) {
  return mapperOf(input, resolve => {
    const fill = compileFill(COUNTY_FACT_ROWS, input.columns, resolve);
    return ({ values: source }) => {
      const row = fill(source);
      const text = (row.values[0] as string | null) ?? '';
      const geoId = GEO_ID.exec(text);
      if (geoId && geoId[1] !== COUNTY_LEVEL)
        return { ok: false as const, field: null, reason: 'skipped', message: 'not a county' };
      const fips = geoId ? geoId[2]! : text;
      if (!/^\d{5}$/.test(fips) || countyName(Number(fips)) === '')
        return rejectRow('fips', 'bad_fips', `'${text}' is not the FIPS code of a county`);
      return { ...row, fips: Number(fips) };
    };
  });
}
