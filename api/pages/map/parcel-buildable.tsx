import { REASON_COLORS } from '../../../shared/drawing/buildable-map.ts';
import type { UnbuildableReason } from '../../../shared/kernels/buildable.ts';
import { acres, percent } from '../../../shared/model/figures.ts';
import { STEEP_PERCENT } from '../../../shared/model/land-layers.ts';
import type { Detail } from '../parts/read-detail.ts';

const REASONS: Record<UnbuildableReason, string> = {
  wetlands: 'Wetlands',
  flood_zone: 'Flood zone',
  water: 'Water',
  steep: `Steeper than ${STEEP_PERCENT}%`,
};

const LAYERS: Record<string, string> = { elevation: 'slope', wetlands: 'wetlands', flood: 'flood zone' };

const inWords = new Intl.ListFormat('en-US');

type Figures = {
  buildable_acres?: number | null;
  buildable_percent?: number | null;
  buildable_patch_acres?: number | null;
  unbuildable?: { reason: UnbuildableReason; acres: number }[] | null;
  /** Absent for a retired parcel. */
  buildable_missing?: string[] | null;
};

/** The land that can be built on, and why the rest can't. */
export function BuildableLand({ detail }: { detail: Detail }) {
  const figures = detail as Figures;
  if (!figures.buildable_missing) return null;
  return (
    <section id="buildable" class="buildable">
      <h3>Buildable land</h3>
      {figures.buildable_acres == null ? (
        <p>{unknownText(figures.buildable_missing, detail.mean_slope_percent != null)}</p>
      ) : (
        <Measured detail={detail} figures={figures} />
      )}
    </section>
  );
}

function unknownText(missing: readonly string[], hasSlope: boolean): string {
  if (hasSlope && missing.includes('elevation'))
    return "Unknown: elevation data doesn't cover the whole parcel, or it hasn't been measured yet.";
  return `Unknown: there is no ${inWords.format(missing.map(layer => LAYERS[layer]!))} data for this parcel.`;
}

function Measured({ detail, figures }: { detail: Detail; figures: Figures }) {
  const { buildable_acres: left, buildable_percent: share, buildable_patch_acres: piece } = figures;
  const reasons = (figures.unbuildable ?? []).toSorted((a, b) => b.acres - a.acres);
  const all = Number(detail.calculated_acres);
  return (
    <>
      <p>
        <b>
          {acres(left!)} of {acres(all)} acres buildable
        </b>{' '}
        ({percent(share!)}) · {piece! > 0 ? `one piece of ${acres(piece!)}` : 'no piece is 60 ft wide'}
      </p>
      <figure class="photo">
        <img
          src={`/data/drawing/${detail.property_id}-buildable.svg`}
          alt="Map of the parcel: buildable land in light green, and over it what can't be built on"
          width="400"
          height="320"
          loading="lazy"
        />
      </figure>
      <table class="bars">
        <thead>
          <tr>
            <th>Not buildable</th>
            <th>Acres</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ reason, acres: size }) => (
            <tr>
              <th>
                <svg viewBox="0 0 10 10" class="swatch" aria-hidden="true">
                  <rect width="10" height="10" fill={REASON_COLORS[reason]} />
                </svg>{' '}
                {REASONS[reason]}
              </th>
              <td>{acres(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        Areas can overlap. One piece is the largest connected area at least 60 ft wide. This is a screening
        figure, not a permit.
      </p>
    </>
  );
}
