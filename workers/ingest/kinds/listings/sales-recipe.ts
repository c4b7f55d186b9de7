import type { Geometry } from 'geojson';
import { boxOfGeometry } from '../../../../shared/geo/box.ts';
import { type Fault, isUnreadable } from '../../../../shared/geo/geometry-checks.ts';
import { toE7 } from '../../../../shared/geo/geometry-codec.ts';
import { prepareBoundary } from '../../../../shared/geo/prepare-geometry.ts';
import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import type { FieldValue } from '../../../../shared/model/parcel-fields.ts';
import { copyValue } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { compose, sql } from '../../../../shared/platform/statements.ts';
import { formerCounty, isFormerCounty, planningRegion } from '../../../../shared/regions/connecticut.ts';
import { countyByName } from '../../../../shared/regions/county-names.ts';
import type { Sales } from '../../../feeds/feed.ts';
import { isTotal } from '../../../feeds/values/key-value.ts';
import { isKnownCounty, noSuchCounty } from '../../../feeds/values/place-value.ts';
import { type PartCheck, type RowNotes, wordKeys } from '../../engine/check-part.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { rejectedRows } from '../../engine/gate.ts';
import {
  compileFill,
  compileKey,
  compileKeyCheck,
  keyColumns,
  type MappedRow,
  type Mapper,
  mapperOf,
  positionsOf,
  rejectRow,
  TOTAL_LINE,
} from '../../engine/map-fields.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows, total } from '../../engine/run-counts.ts';
import { stageByCopy } from '../../engine/stage-rows.ts';
import { compCounter, compsOf } from './check-comps.ts';
import { checkListingGates } from './listing-gates.ts';
import { countsOf, noteListings } from './listing-notes.ts';
import { LISTING_PARTS, mergeListings } from './listing-record.ts';
import { LISTING_ROWS, type ListingInput, type ListingsFeed, type RecordedInput } from './listings-feed.ts';
import { compileSales, type MappedSales, type PriorSale, saleMentions } from './map-sale.ts';
import { measureSales, stageSales } from './stage-sales.ts';

/** A sales file by parcel number: comps for parcels that other feeds loaded. */
export const salesRecipe: Recipe<ListingsFeed, void> = {
  tables: [sql('market/create_sale_stage'), compose('market/create_listing_stage', LISTING_PARTS)],
  stage: (run, { listings }) =>
    stageByCopy(
      run,
      { name: 'listings', input: listings.input, map: compileRecordedMapper(listings, listings.recorded!) },
      COPY_SALE,
      write =>
        (row, { rowNo }, faults) => {
          for (const value of row.dropped ?? []) faults.drop({ rowNo, values: {}, geometry: null }, value);
          countFilled(run.counts.filled, LISTING_FIELD_NAMES, row.values);
          for (const line of saleLines(rowNo, row)) write(line);
        },
    ),
  compare,
  inputs: ({ listings }) => [['listings', listings]],
  async dependsOn({ db }) {
    // The sold parcels may have been loaded after the last run.
    const rows = await db.run<{ run: number | null }>('market/last_roll');
    return rows[0]!.run ?? 0;
  },
  async check(dryRun, feed) {
    const { listings, fips } = feed;
    const { result } = dryRun;
    const recorded = listings.recorded!;
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
  const { sales } = feed.listings.recorded!;
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
      // Don't compare with the last run. A file with one year of sales doesn't remove earlier sales.
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

/** A row in a sales file: the sold parcel, and the sale's date, price, and deed. */
export type RecordedSale = MappedRow & MappedSales & { key: string; fips: number };

const SKIPPED = rejectRow('fips', 'skipped', 'from another county, or not a sale');

/** Skips rows from other counties and rows without a sale date. */
export function compileRecordedMapper(
  { columns, skipWhere, fips: feedFips }: ListingInput,
  { key, sales }: RecordedInput,
): Mapper<RecordedSale> {
  return mapperOf(
    { columns, skipWhere },
    resolve => {
      const fill = compileFill(LISTING_ROWS, columns, resolve);
      const keyOf = compileKey(key, resolve);
      const damageIn = compileKeyCheck(key, resolve);
      const salesOf = compileSales(sales, columns.sold_date, resolve);
      return ({ values: source, geometry }) => {
        const filled = fill(source);
        const { values } = filled;
        const row = withoutShape(filled, geometry);
        const box = boxOfGeometry(geometry);
        if (box && values[AT.latitude] === null) {
          values[AT.longitude] = (box[0] + box[2]) / 2;
          values[AT.latitude] = (box[1] + box[3]) / 2;
        }
        const county = countyOf(values as FieldValue[]) ?? feedFips;
        if (county === null) return rejectRow('fips', 'missing_fips', 'the row has no county');
        if (feedFips !== null && county !== feedFips) return SKIPPED;
        if (!isKnownCounty(county)) return rejectRow('fips', 'unknown_fips', noSuchCounty(county));
        const parcel = keyOf(source);
        if (parcel === null)
          return rejectRow('key', 'missing_key', `no key, because ${keyColumns(key).join(', ')} is empty`);
        if (isTotal(parcel)) return TOTAL_LINE;
        const damaged = damageIn(source, parcel);
        if (damaged) return damaged;
        const [day, price] = [values[AT.sold_date] as FieldValue, values[AT.sold_price] as FieldValue];
        const mappedSales = salesOf(source, day, price);
        if (day === null && mappedSales.prior === null) return SKIPPED;
        return { ...row, ...mappedSales, key: parcel, fips: county };
      };
    },
    [...keyColumns(key).map(column => ({ where: 'key', column, optional: false })), ...saleMentions(sales)],
  );
}

function withoutShape(row: MappedRow, geometry: Geometry | null): MappedRow {
  if (!isUnreadable(geometry)) return row;
  const { reason, message } = prepareBoundary(geometry) as Fault;
  return {
    ...row,
    dropped: [...(row.dropped ?? []), { field: 'geometry', reason: `geometry_${reason}`, message }],
  };
}

/**
 * The county of a sale, determined by its FIPS code, or else by its name. In Connecticut, the town determines
 * the planning region.
 */
function countyOf(values: readonly FieldValue[]): number | null {
  const text = (field: 'county' | 'city' | 'state') => (values[AT[field]] ?? '') as string;
  const [lon, lat] = [values[AT.longitude], values[AT.latitude]];
  const point = typeof lon === 'number' && typeof lat === 'number' ? ([lon, lat] as const) : null;
  const state = text('state');
  const value = values[AT.fips];
  const code =
    typeof value === 'number'
      ? value
      : (countyByName(text('county'), state) ?? formerCounty(text('county'), state));
  return code !== null && isFormerCounty(code) ? planningRegion(code, text('city'), point) : code;
}

/** For a sales file, also notes the comps, and parcels that share a word as their key. */
const noteRecordedSales =
  ({ minPrice }: Sales) =>
  (check: PartCheck): RowNotes<RecordedSale> => {
    const { mapped, warnings } = noteListings(check);
    const comps = compCounter('listings', minPrice);
    const words = wordKeys();
    return {
      ...(mapped && { mapped }),
      used(row, sale) {
        comps.add(sale);
        words.note(row, sale.key);
      },
      warnings: doubtful => [...warnings!(doubtful), ...words.warnings(check.part)],
      finish: () => void Object.assign(check, countsOf(comps)),
    };
  };
