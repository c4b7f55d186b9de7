import {
  ACTIVE,
  type ListingColumns,
  NO_DAY,
  PENDING,
  SOLD,
} from '../../shared/kernels/stats/region-stats.ts';
import type { PlainListing } from './plain-stats.ts';

const STATUS = { ACTIVE, PENDING, SOLD };

/** Number of days from 1970-01-01 to a date in YYYY-MM-DD format. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

export function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

export function columnsOf(listings: PlainListing[]): ListingColumns {
  return {
    status: Uint8Array.from(listings, one => STATUS[one.status]),
    price: Float64Array.from(listings, one => one.price ?? Number.NaN),
    acres: Float64Array.from(listings, one => one.acres ?? Number.NaN),
    soldDay: Int32Array.from(listings, one => (one.soldDate === null ? NO_DAY : dayOf(one.soldDate))),
    daysOnMarket: Int32Array.from(listings, one => one.daysOnMarket ?? NO_DAY),
    asked: Float64Array.from(listings, one => one.asked ?? Number.NaN),
  };
}
