import { NO_DAY } from '../../shared/kernels/stats/region-stats.ts';

const MS_PER_DAY = 86_400_000;

const texts = new Map<number, string>();

/** 'YYYY-MM-DD' of a UTC day counted from 1970-01-01. Remembered, for 44,000 regions share a few days. */
export function isoDay(day: number): string {
  let text = texts.get(day);
  if (text === undefined) {
    text = new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
    texts.set(day, text);
  }
  return text;
}

/** The UTC day, counted from 1970-01-01, of 'YYYY-MM-DD'. */
export function dayOf(isoDate: string): number {
  return Date.parse(`${isoDate}T00:00:00Z`) / MS_PER_DAY;
}

/**
 * The day as of which a region's statistics are computed when nobody names one: today, unless all of its listings,
 * rows[start] up to, not including, rows[end], come from snapshots; then the day of the latest snapshot.
 */
export function asOfDay(
  feedDay: Int32Array,
  rows: Uint32Array,
  start: number,
  end: number,
  today: number,
): number {
  let latest = NO_DAY;
  for (let i = start; i < end; i++) {
    const day = feedDay[rows[i]!]!;
    if (day === NO_DAY) return today;
    if (day > latest) latest = day;
  }
  return latest === NO_DAY ? today : latest;
}
