import { acres, day, percent, usd } from '../../../shared/domain/figures.ts';
import { SLOPE_GRADES } from '../../../shared/domain/land-layers.ts';
import { readParcelDrawing } from '../../../shared/drawing/collect-map.ts';
import { findDifferences } from '../../../shared/drawing/computed.ts';
import { drawParcel } from '../../../shared/drawing/draw-parcel.ts';
import { notFound } from '../../http/error-responses.ts';
import type { ExplainedValue } from '../../v1/valuation/ai-comp-value.ts';
import { Grid } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';

/** An interval whose ends differ by more than this says nothing that a buyer could go by. */
const MAX_WIDTH = 10;

/** Three words: past errors do not justify a finer scale of confidence. */
function certaintyOf(confidence: number): string {
  if (confidence < 25) return 'low';
  return confidence < 50 ? 'middling' : 'good';
}

export const ValueUnavailable = ({ why }: { why: string }) => (
  <section>
    <h2>What it is worth</h2>
    <p>{why}</p>
  </section>
);

/** The estimate, its interval as a bar, and the comps with what each was moved by. */
export function ValuePanel({ value }: { value: ExplainedValue }) {
  const { low_price, high_price, comps, as_of, out_of_support } = value.explanation;
  const isUseless = high_price > MAX_WIDTH * low_price;
  const top = high_price * 1.1;
  const at = (price: number) => (100 * price) / top;
  return (
    <section>
      <h2>What it is worth</h2>
      <p>
        <b>{usd(value.mean_adjusted_price)}</b>, four times in five between {usd(low_price)} and{' '}
        {usd(high_price)}; confidence is {certaintyOf(value.confidence_score)}, as of {day(as_of)}.
        {isUseless && ' That is too uncertain to use: the sales do not tell what this parcel is worth.'}
        {out_of_support && !isUseless && ' The comps are unlike this parcel: take it with care.'}
      </p>
      <svg
        class="interval"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`80 % interval from ${usd(low_price)} to ${usd(high_price)}`}
      >
        <rect x="0" y="3" width="100" height="2" class="track" />
        <rect x={at(low_price)} y="2" width={at(high_price) - at(low_price)} height="4" class="range" />
        <rect x={at(value.mean_adjusted_price) - 0.4} y="0.5" width="0.8" height="7" class="mark" />
      </svg>
      <details>
        <summary>From {comps.length} comps</summary>
        <Grid
          name="Comps of the estimate"
          heads={['Comp', 'Acres', 'Price', 'Size', 'Time', 'Place', 'Land', 'Weight']}
          rows={comps.map(comp => [
            `${comp.status.toLowerCase()} ${comp.sold_date === null ? '' : day(comp.sold_date)}`,
            comp.lot_size === null ? '–' : acres(comp.lot_size),
            usd(comp.price),
            percent(comp.size_percent),
            percent(comp.time_percent),
            percent(comp.location_percent),
            comp.land_percent === null ? '–' : percent(comp.land_percent),
            percent(100 * comp.weight),
          ])}
        />
      </details>
    </section>
  );
}

/** Share of the area steeper than each grade, as bars and, for readers, as a table. */
export function Slopes({ shares }: { shares: number[] | null }) {
  if (shares === null || shares === undefined) return null;
  return (
    <section>
      <h2>How steep</h2>
      <table class="bars">
        <thead>
          <tr>
            <th>Steeper than</th>
            <th>Share of the area</th>
          </tr>
        </thead>
        <tbody>
          {SLOPE_GRADES.map((grade, i) => (
            <tr>
              <th>{grade}%</th>
              <td>
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={shares[i]} height="6" />
                </svg>{' '}
                {percent(shares[i]!)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The drawing that `plat parcel show --svg` makes. */
export const drawingPage: Page = {
  path: '/data/drawing/:file',
  access: 'app',
  async get({ req, deps }) {
    const id = /^(\d{12,13})\.svg$/.exec(String(req.params.file))?.[1];
    if (id === undefined) throw notFound('There is no such drawing.');
    const signal = AbortSignal.timeout(deps.config.REQUEST_TIMEOUT_MS);
    const collected = await readParcelDrawing(deps.pool, Number(id), { signal });
    if (collected?.drawn == null) throw notFound('There is nothing to draw of this parcel.');
    const { land, waiting } = collected.stored;
    const svg = drawParcel(collected.drawn, {
      differences: land === null ? [] : findDifferences(land.figures, collected.drawn.computed),
      waiting: waiting.length > 0,
      computedAt: land?.computed_at ?? null,
    });
    return { data: svg, type: 'image/svg+xml' };
  },
};
