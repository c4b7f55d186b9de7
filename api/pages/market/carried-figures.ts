import { type FigureKey, LEAST_SALES, type MetricKey } from '../../../shared/model/market-stats.ts';
import type { BucketFigures } from '../../v1/market/market-figures.ts';

/** What counts the lots that a figure stands on; counts, rates and `more` stand by themselves. */
export function carrierOf(metric: FigureKey): MetricKey | null {
  if (!/Price|PPA|Acreage|DOM|Gini/.test(metric)) return null;
  if (/Active|Pending/.test(metric)) return /Active/.test(metric) ? 'Active' : 'Pending';
  return `Sold: ${/1mo|3mo|6mo/.exec(metric)?.[0] ?? '1yr'}` as MetricKey;
}

/** Whether enough lots carry a figure. */
export function isCarried(metric: FigureKey, figures: BucketFigures): boolean {
  const carrier = carrierOf(metric);
  return carrier === null || (figures.of(carrier) ?? 0) >= LEAST_SALES;
}
