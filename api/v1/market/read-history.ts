import { dayOf, isoDay, monthEnds, utcDay } from '../../../shared/kernels/stats/calendar.ts';
import type { BucketLabel } from '../../../shared/model/buckets.ts';
import { FIGURE_KEYS, type FigureKey } from '../../../shared/model/market-metrics.ts';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import { validationError } from '../../http/error-responses.ts';
import type { Resources } from '../common/endpoint-resources.ts';
import { type BucketValues, bucketValues, needsIndex, salesIn, writeIndex } from './market-figures.ts';

export const USUAL_MONTHS = 12;
export const MAX_MONTHS = 120;
const MONTHS_OF = { month: 1, quarter: 3, year: 12 } as const;

export type HistoryRequest = {
  type: 'county' | 'zip';
  code: string;
  bucket: BucketLabel;
  keys?: readonly FigureKey[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  every: keyof typeof MONTHS_OF;
};

type HistoryDate = { as_of: string; kind: 'recorded' | 'restated' | null; n: number | null };

/** The part of the response after the region. */
export type History = { dates: HistoryDate[]; keys: Partial<Record<FigureKey, (number | null)[]>> };

export type FoundHistory = {
  dates: HistoryDate[];
  keys: readonly FigureKey[];
  /** One value per date. Null if the bucket has no listings or there is no data. */
  values: (BucketValues | null)[];
  /** 0 if there is no data for any date. */
  tokens: number;
};

/** @throws PlatError `validation_error` if the range has no month ends, or too many */
export async function readHistory(
  { readMonths, readPriceIndex }: Pick<Resources, 'readMonths' | 'readPriceIndex'>,
  { type, code, bucket, keys = FIGURE_KEYS, from, to, every }: HistoryRequest,
  now: Date,
): Promise<FoundHistory> {
  const [months, index] = await Promise.all([
    readMonths({
      type,
      code,
      from: from ?? null,
      to: to ?? null,
      most: from === undefined ? USUAL_MONTHS : MAX_MONTHS + 1,
    }),
    type === 'county' && needsIndex(keys) ? readPriceIndex(code) : null,
  ]);
  const days = daysOf({ from, to, every }, months[0]?.as_of, now);
  const byDay = new Map(months.map(month => [month.as_of, month]));
  const rows = days.dates.map(day => {
    const asOf = isoDay(day);
    const month = byDay.get(asOf);
    if (month === undefined) return { asOf, kind: null, n: null, values: null };
    const values = bucketValues(month.figures, bucket);
    if (values && index && !month.recorded) writeIndex(values, index, day);
    const kind = month.recorded ? ('recorded' as const) : ('restated' as const);
    return { asOf, kind, n: values ? salesIn(values) : 0, values };
  });
  return {
    dates: rows.map(({ asOf, kind, n }) => ({ as_of: asOf, kind, n })),
    keys,
    values: rows.map(({ values }) => values),
    tokens: rows.some(({ kind }) => kind !== null) ? priceOf(rows.length, days.months) : 0,
  };
}

/** For example, 32 months cost 30 tokens. */
export const priceOf = (dates: number, months: number): number =>
  Math.min(costOf(PRICES.marketHistory, dates), PRICES.marketHistory.maxPerYear * Math.ceil(months / 12));

/**
 * The requested month ends. Without `to`, they end at the latest one with data. Without `from`, they cover a
 * year.
 */
function daysOf(
  { from, to, every }: Pick<HistoryRequest, 'from' | 'to' | 'every'>,
  latest: string | undefined,
  now: Date,
): { dates: number[]; months: number } {
  const today = utcDay(now.getTime());
  if (to !== undefined && dayOf(to) >= today)
    throw validationError({ to: [`must be before today, ${isoDay(today)} in UTC`] });
  const last = to !== undefined ? dayOf(to) : latest !== undefined ? dayOf(latest) : today - 1;
  const months = monthEnds(last + 1, from === undefined ? USUAL_MONTHS : monthsUpTo(last, dayOf(from)));
  if (months.length > MAX_MONTHS)
    throw validationError({ from: [`must be at most ${MAX_MONTHS} months before the last date`] });
  const step = MONTHS_OF[every];
  const dates = months.filter(
    day => step === 1 || (new Date(day * 86_400_000).getUTCMonth() + 1) % step === 0,
  );
  if (dates.length === 0)
    throw validationError({ from: [`is too late: no ${every} ends between it and ${isoDay(last)}`] });
  return { dates, months: months.length };
}

/** The number of month ends in a range. Stops at one more than the limit. */
function monthsUpTo(last: number, from: number): number {
  const month = (day: number) => {
    const date = new Date(day * 86_400_000);
    return 12 * date.getUTCFullYear() + date.getUTCMonth();
  };
  return Math.max(0, Math.min(month(last + 1) - month(from), MAX_MONTHS + 1));
}
