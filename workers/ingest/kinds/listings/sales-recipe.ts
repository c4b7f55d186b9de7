import { toE7 } from '../../../../shared/geo/geometry-codec.ts';
import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import { copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { compose, sql } from '../../../../shared/platform/statements.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { rejectedRows } from '../../engine/gate.ts';
import { positionsOf } from '../../engine/map-fields.ts';
import { readBatches } from '../../engine/read-input.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows, total } from '../../engine/run-counts.ts';
import { stageRows } from '../../engine/stage-rows.ts';
import { withStages } from '../../engine/stage-schema.ts';
import { compsOf } from './check-comps.ts';
import { checkListingGates } from './listing-gates.ts';
import { noteRecordedSales } from './listing-notes.ts';
import { LISTING_PARTS } from './listing-record.ts';
import { LISTING_ROWS, type ListingsFeed, type RecordedInput } from './listings-feed.ts';
import { compileRecordedMapper, type RecordedSale } from './map-recorded.ts';
import type { PriorSale } from './map-sale.ts';
import { mergeListings } from './merge-listings.ts';
import { measureSales, stageSales } from './stage-sales.ts';

const recordedOf = ({ listings }: ListingsFeed): RecordedInput => listings.recorded!;

/** A sales file by parcel number: comps of parcels that other feeds loaded. */
export const salesRecipe: Recipe<ListingsFeed, void> = {
  tables: [sql('market/create_sale_stage'), compose('market/create_listing_stage', LISTING_PARTS)],
  stage: (run, feed) =>
    withStages(run, 1, ([connection], rejects) => stageFile(run, feed, connection!, rejects)),
  compare,
  inputs: ({ listings }) => [['listings', listings]],
  async dependsOn({ db }) {
    // The sold parcels may have been loaded since.
    const rows = await db.run<{ run: number | null }>('market/last_roll');
    return rows[0]!.run ?? 0;
  },
  async check(dryRun, feed) {
    const { listings, fips } = feed;
    const { result } = dryRun;
    const recorded = recordedOf(feed);
    await checkPart(dryRun, 'listings', listings, {
      fields: LISTING_ROWS,
      map: compileRecordedMapper(listings, recorded),
      notes: noteRecordedSales(recorded.sales),
    });
    result.comps = compsOf(fips, true, result.parts);
  },
};

const AT = positionsOf(LISTING_FIELD_NAMES);
const COPY_SALE =
  'copy stage_sale (row_no, fips, key, address, city, state, zip, apn, acres, location, day, price, book, several, sale) from stdin';

async function stageFile(
  run: RunContext,
  feed: ListingsFeed,
  db: Db,
  rejects: Parameters<typeof stageRows>[1]['rejects'],
): Promise<void> {
  const { counts } = run;
  const { listings } = feed;
  const copy = openCopy(db, COPY_SALE);
  const batches = readBatches(run, 'listings', listings.input);
  await stageRows(
    { name: 'listings', batches, map: compileRecordedMapper(listings, recordedOf(feed)) },
    { counts, rejects },
    (row, { rowNo }, faults) => {
      for (const value of row.dropped ?? []) faults.drop({ rowNo, values: {}, geometry: null }, value);
      countFilled(counts.filled, LISTING_FIELD_NAMES, row.values);
      for (const line of saleLines(rowNo, row)) copy.write(line);
    },
    () => copy.drain(),
  );
  await copy.end();
}

/** One line per sale of a row. */
function saleLines(rowNo: number, { fips, key, values, sale, deed, prior }: RecordedSale): string[] {
  const value = (name: keyof typeof AT) => values[AT[name]] ?? null;
  const [lon, lat] = [value('longitude'), value('latitude')];
  const location = typeof lon === 'number' && typeof lat === 'number' ? `(${toE7(lon)},${toE7(lat)})` : null;
  const parcel = [
    rowNo,
    fips,
    key,
    value('address'),
    value('city'),
    value('state'),
    value('zip'),
    value('apn'),
    value('lot_acres'),
    location,
  ];
  const day = value('sold_date') as string | null;
  const last =
    day === null ? [] : [{ date: day, price: value('sold_price') as number | null, ...deed, sale }];
  const earlier = (prior ?? []).map((each: PriorSale) => ({ ...each, sale: true }));
  return [...last, ...earlier].map(each =>
    [...parcel, each.date, each.price, each.book, each.several, each.sale]
      .map(cell => copyValue(cell as string))
      .join('\t'),
  );
}

async function compare(db: Db, run: RunContext, feed: ListingsFeed): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  const { sales } = recordedOf(feed);
  await run.step('match', 'comparing with the parcels', 0.68);
  const found = await db.run<{ fips: number }>('market/list_sale_counties');
  const counties = found.map(row => row.fips);
  await db.execute('analyze stage_sale (fips, key)');
  await db.run('market/place_sales', { counties });
  const rows = await db.run<{ sales: number; placed: number }>('market/measure_sale_file');
  const { placed, sales: read } = rows[0]!;
  counts.sales = await stageSales(db, 'market/recorded_of_file', sales, feedId, counties);
  counts.matched_keys = placed;
  await measureRows(db, run, 'feeds/measure_matches', {}, { matches: 'stage_listing_match' });
  const figures = await measureSales(db, sales, feedId);
  const gate = checkListingGates(
    {
      read: total(counts.read),
      rejected: rejectedRows(counts),
      rows: read,
      matchedKeys: placed,
      sales: figures,
      filled: counts.filled,
      // A file with one year of sales doesn't take earlier sales off the market.
      last: null,
    },
    feed.gates,
  );
  return {
    gate,
    touched: figures.touched > 0,
    merge: tx => mergeListings(tx, runId, feedId),
  };
}
