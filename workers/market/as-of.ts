import { NO_DAY } from '../../shared/kernels/stats/region-stats.ts';

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
