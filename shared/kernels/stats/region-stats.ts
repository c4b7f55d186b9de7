import { type AcreRange, acreGrid, cellOf } from './acre-grid.ts';
import {
  AGES,
  addToSample,
  clearSample,
  distribute,
  layOut,
  newBucketLists,
  newSample,
  type Sample,
  sortAcres,
} from './bucket-lists.ts';
import { minusMonths } from './calendar.ts';
import { gini, median } from './order-statistics.ts';
import { roundToHundredths } from './rounding.ts';
import { Column, emptyHundredths, METRIC_COUNT, type StatsTable } from './stats-table.ts';

/** Values of `status`. */
export const ACTIVE = 0;
export const PENDING = 1;
export const SOLD = 2;

/** `soldDay` and `daysOnMarket` of a listing that has none. */
export const NO_DAY = -0x80000000;

/** Listings by column; entry i of each array is listing i. Only those with acres and price over 0 are counted. */
export type ListingColumns = {
  /** ACTIVE, PENDING or SOLD. */
  status: Uint8Array;
  /** USD: asked for ACTIVE and PENDING, paid for SOLD. NaN when unknown. */
  price: Float64Array;
  /** NaN when unknown. */
  acres: Float64Array;
  /** UTC days since 1970-01-01, or NO_DAY. */
  soldDay: Int32Array;
  /** Days, or NO_DAY. */
  daysOnMarket: Int32Array;
};

/**
 * Fills `table` with the statistics, as of the UTC day `asOfDay`, of the listings rows[start] up to, not including,
 * rows[end]. The window of m months holds the sales after `asOfDay` less m calendar months up to and including it.
 */
export type StatsKernel = (
  listings: ListingColumns,
  rows: Uint32Array,
  start: number,
  end: number,
  asOfDay: number,
  table: StatsTable,
) => void;

/** One window for each age class. */
const WINDOW_MONTHS = [1, 3, 6, 12] as const;

type InventoryColumns = {
  count: number;
  price: number;
  acreage: number;
  ppa: number;
  ppaMin: number;
  ppaMax: number;
};

const ACTIVE_COLUMNS: InventoryColumns = {
  count: Column.active,
  price: Column.medianActivePrice,
  acreage: Column.medianActiveAcreage,
  ppa: Column.medianActivePpa,
  ppaMin: Column.activePpaMin,
  ppaMax: Column.activePpaMax,
};

const PENDING_COLUMNS: InventoryColumns = {
  count: Column.pending,
  price: Column.medianPendingPrice,
  acreage: Column.medianPendingAcreage,
  ppa: Column.medianPendingPpa,
  ppaMin: Column.pendingPpaMin,
  ppaMax: Column.pendingPpaMax,
};

/**
 * A kernel for these buckets. It keeps its buffers from call to call, so an instance serves one thread.
 *
 * Each status is sorted once by acres, by price and by price per acre. By acres, every bucket is one contiguous run; the
 * other two are dealt out in ascending order to the buckets and windows of each listing, which leaves all of them sorted
 * (bucket-lists.ts). So the cost is the n log n of three sorts and some 6 appends a listing and sort, 2 windows apiece.
 */
export function createStatsKernel(buckets: readonly AcreRange[]): StatsKernel {
  const grid = acreGrid(buckets);
  const bucketCount = buckets.length;
  const empty = emptyHundredths(bucketCount);
  const anyInCell = new Uint32Array(grid.cellCount);
  const cellStart = new Uint32Array(grid.cellCount + 1);
  const domSum = new Float64Array(grid.cellCount * AGES);
  const domCount = new Uint32Array(grid.cellCount * AGES);
  const sinceDay = new Int32Array(AGES);
  let sinceAsOf = Number.NaN;

  let capacity = 256;
  let active = newSample(grid.cellCount, capacity);
  let pending = newSample(grid.cellCount, capacity);
  let sold = newSample(grid.cellCount, capacity);
  let inventoryLists = newBucketLists(grid, 1, capacity);
  let salesLists = newBucketLists(grid, AGES, capacity);

  function clear(listingCount: number): void {
    if (listingCount > capacity) {
      capacity = Math.ceil(1.5 * listingCount);
      active = newSample(grid.cellCount, capacity);
      pending = newSample(grid.cellCount, capacity);
      sold = newSample(grid.cellCount, capacity);
      inventoryLists = newBucketLists(grid, 1, capacity);
      salesLists = newBucketLists(grid, AGES, capacity);
    }
    for (const sample of [active, pending, sold]) clearSample(sample);
    anyInCell.fill(0);
    domSum.fill(0);
    domCount.fill(0);
  }

  function setWindows(asOfDay: number): void {
    if (asOfDay === sinceAsOf) return;
    for (let age = 0; age < AGES; age++) sinceDay[age] = minusMonths(asOfDay, WINDOW_MONTHS[age]!);
    sinceAsOf = asOfDay;
  }

  function classify(listings: ListingColumns, row: number, asOfDay: number): void {
    const acres = listings.acres[row]!;
    const price = listings.price[row]!;
    if (!(acres > 0 && price > 0)) return;
    const cell = cellOf(grid, acres);
    if (cell < 0) return;
    anyInCell[cell] = 1;

    const status = listings.status[row]!;
    if (status !== SOLD) {
      addToSample(status === ACTIVE ? active : pending, acres, price, cell * AGES);
      return;
    }
    const day = listings.soldDay[row]!;
    if (day > asOfDay || day <= sinceDay[AGES - 1]!) return;
    let age = 0;
    while (day <= sinceDay[age]!) age++;
    const tag = cell * AGES + age;
    addToSample(sold, acres, price, tag);
    const dom = listings.daysOnMarket[row]!;
    if (dom !== NO_DAY) {
      domSum[tag]! += dom;
      domCount[tag]!++;
    }
  }

  function fillAcreage(sample: Sample, column: number, out: Float64Array): void {
    sortAcres(sample, cellStart);
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      const from = cellStart[grid.firstCell[bucket]!]!;
      const to = cellStart[grid.endCell[bucket]!]!;
      if (from < to) out[bucket * METRIC_COUNT + column] = roundToHundredths(median(sample.acres, from, to)!);
    }
  }

  function fillInventory(sample: Sample, columns: InventoryColumns, out: Float64Array): void {
    if (sample.count === 0) return;
    fillAcreage(sample, columns.acreage, out);
    const { start, values } = inventoryLists;
    layOut(inventoryLists, grid, sample);
    distribute(inventoryLists, grid, sample, sample.price);
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      const from = start[bucket]!;
      const to = start[bucket + 1]!;
      if (from === to) continue;
      out[bucket * METRIC_COUNT + columns.count] = 100 * (to - from);
      out[bucket * METRIC_COUNT + columns.price] = roundToHundredths(median(values, from, to)!);
    }
    distribute(inventoryLists, grid, sample, sample.ppa);
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      const from = start[bucket]!;
      const to = start[bucket + 1]!;
      if (from === to) continue;
      const base = bucket * METRIC_COUNT;
      out[base + columns.ppa] = roundToHundredths(median(values, from, to)!);
      out[base + columns.ppaMin] = roundToHundredths(values[from]!);
      out[base + columns.ppaMax] = roundToHundredths(values[to - 1]!);
    }
  }

  function fillSales(out: Float64Array): void {
    if (sold.count === 0) return;
    fillAcreage(sold, Column.medianSoldAcreage, out);
    const { start, values } = salesLists;
    layOut(salesLists, grid, sold);
    distribute(salesLists, grid, sold, sold.price);
    for (let list = 0; list < bucketCount * AGES; list++) {
      const from = start[list]!;
      const to = start[list + 1]!;
      if (from === to) continue;
      const column = (list >> 2) * METRIC_COUNT + (list & 3);
      out[column + Column.sold] = 100 * (to - from);
      out[column + Column.medianPrice] = roundToHundredths(median(values, from, to)!);
    }
    distribute(salesLists, grid, sold, sold.ppa);
    for (let list = 0; list < bucketCount * AGES; list++) {
      const from = start[list]!;
      const to = start[list + 1]!;
      if (from === to) continue;
      const base = (list >> 2) * METRIC_COUNT;
      const window = list & 3;
      out[base + Column.ppaRange + 2 * window] = roundToHundredths(values[from]!);
      out[base + Column.ppaRange + 2 * window + 1] = roundToHundredths(values[to - 1]!);
      if (to - from > 1) out[base + Column.gini + window] = roundToHundredths(gini(values, from, to)!);
      if (window === AGES - 1)
        out[base + Column.medianSoldPpa] = roundToHundredths(median(values, from, to)!);
    }
    fillDaysOnMarket(out);
  }

  function fillDaysOnMarket(out: Float64Array): void {
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      const end = grid.endCell[bucket]! * AGES;
      let days = 0;
      let sales = 0;
      for (let age = 0; age < AGES; age++) {
        for (let tag = grid.firstCell[bucket]! * AGES + age; tag < end; tag += AGES) {
          days += domSum[tag]!;
          sales += domCount[tag]!;
        }
        if (sales > 0) out[bucket * METRIC_COUNT + Column.avgDom + age] = roundToHundredths(days / sales);
      }
    }
  }

  /** Rates of active listings; both counts are in hundredths, so their quotient is the plain one. */
  function fillRates(out: Float64Array): void {
    for (let base = 0; base < out.length; base += METRIC_COUNT) {
      const inventory = out[base + Column.active]!;
      if (inventory === 0) continue;
      out[base + Column.pendingStr] = roundToHundredths((100 * out[base + Column.pending]!) / inventory);
      for (let window = 0; window < AGES; window++) {
        const sales = out[base + Column.sold + window]!;
        out[base + Column.str + window] = roundToHundredths((100 * sales) / inventory);
      }
    }
  }

  function fillFilled(filled: Uint8Array): void {
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      filled[bucket] = 0;
      for (let cell = grid.firstCell[bucket]!; cell < grid.endCell[bucket]!; cell++) {
        if (anyInCell[cell] === 1) filled[bucket] = 1;
      }
    }
  }

  return (listings, rows, start, end, asOfDay, table) => {
    const out = table.hundredths;
    out.set(empty);
    clear(end - start);
    setWindows(asOfDay);
    for (let i = start; i < end; i++) classify(listings, rows[i]!, asOfDay);
    fillInventory(active, ACTIVE_COLUMNS, out);
    fillInventory(pending, PENDING_COLUMNS, out);
    fillSales(out);
    fillRates(out);
    fillFilled(table.filled);
  };
}
