import { type ConfidenceOrder, confidenceRanks } from '../../../shared/feeds/confidence-order.ts';
import { count, oneDigit, usd } from '../../../shared/model/figures.ts';
import { Text } from './layout.tsx';

const WIDTH = 320;

type ValueBandProps = { low: number; high: number; estimate: number; asked?: number | null };

/** The 80% range of an estimate on an axis that starts at 0. A triangle marks `asked`, the list price. */
export function ValueBand({ low, high, estimate, asked = null }: ValueBandProps) {
  const top = 1.12 * Math.max(high, asked ?? 0);
  const x = (value: number) => (WIDTH * value) / top;
  const asking = asked === null ? '' : `, list price ${usd(asked)}`;
  return (
    <svg
      class="band"
      viewBox={`0 0 ${WIDTH} 46`}
      role="img"
      aria-label={`80% range from ${usd(low)} to ${usd(high)}, estimate ${usd(estimate)}${asking}`}
    >
      <rect class="track" y="14" width={WIDTH} height="10" rx="5" />
      <rect class="range" x={x(low)} y="14" width={x(high) - x(low)} height="10" />
      <rect class="estimate" x={x(estimate) - 2} y="9" width="4" height="20" rx="2" />
      {asked !== null && <path class="asked" d={`M${x(asked)} 13l-5 -9h10z`} />}
      <Text x={Math.max(16, x(low))} y={42} words={short(low)} />
      <Text x={x(high)} y={42} words={short(high)} />
    </svg>
  );
}

const short = (value: number): string =>
  value >= 999_500 ? `$${oneDigit(value / 1e6)}m` : value >= 1_000 ? `$${count(value / 1e3)}k` : usd(value);

/** There are only three levels, because past errors don't justify a finer scale. */
function certaintyOf(confidence: number): 'Low' | 'Medium' | 'High' {
  if (confidence < 50) return 'Low';
  return confidence < 75 ? 'Medium' : 'High';
}

/**
 * For example, "Low confidence · 40 of 100". If the county's past sales don't show that higher confidence
 * means smaller errors, the text is the same for all of its estimates.
 */
export function confidenceText(confidence: number, order: ConfidenceOrder | null): string {
  if (confidenceRanks(order)) return `${certaintyOf(confidence)} confidence · ${count(confidence)} of 100`;
  if (order === null) return 'No confidence score: not tested here yet';
  return `No confidence score: unproven on ${count(order.sales)} past ${order.sales === 1 ? 'sale' : 'sales'} here`;
}

/** For example, "low confidence". */
export const certaintyText = (confidence: number, order: ConfidenceOrder | null): string =>
  confidenceRanks(order) ? `${certaintyOf(confidence).toLowerCase()} confidence` : 'no confidence score';

export function confidenceBadge(confidence: number, order: ConfidenceOrder | null): string {
  if (!confidenceRanks(order)) return 'badge';
  return certaintyOf(confidence) === 'High' ? 'badge good' : 'badge warn';
}
