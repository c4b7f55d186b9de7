import { acres, count, oneDigit, percent } from '../../../shared/model/figures.ts';
import { ACCESS_LABELS, SLOPE_GRADES } from '../../../shared/model/land-layers.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { Icon, type IconName } from '../frame/icons.tsx';
import type { Detail } from '../parts/read-detail.ts';

type State = 'yes' | 'part' | 'no' | 'unknown';
type Fact = { icon: IconName; state: State; title: string; more: string };

/** Upper limits for gentle and moderate land, as average slope in percent. */
const GENTLE = 8;
const MODERATE = 15;

/** Percentage from which a parcel gets the mark for good land. */
const MOSTLY_BUILDABLE = 50;

const NO_DATA = 'No data';

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Feet of frontage on all roads. */
export const frontageOf = (detail: Record<string, unknown>): number =>
  ['highway_frontage_ft', 'road_frontage_ft', 'local_frontage_ft'].reduce(
    (sum, name) => sum + (numberOf(detail[name]) ?? 0),
    0,
  );

function roadAccess({ access, landlocked, ...detail }: Detail): Fact {
  const icon = 'route';
  if (access === 'unmapped')
    return { icon, state: 'part', title: ACCESS_LABELS.unmapped, more: 'A house or a gap suggests a way in' };
  // Parcels measured by earlier versions have no `access`.
  if (typeof landlocked !== 'boolean') return { icon, state: 'unknown', title: 'Road access', more: NO_DATA };
  if (landlocked) return { icon, state: 'no', title: 'Landlocked', more: 'No road reaches the parcel' };
  if (access === 'private_road')
    return { icon, state: 'yes', title: 'Private road', more: 'No public road touches the parcel' };
  const feet = frontageOf(detail);
  return {
    icon,
    state: 'yes',
    title: 'Road access',
    more: feet > 0 ? `${count(feet)} ft of frontage` : 'Near a road, no frontage measured',
  };
}

type Cover = { icon: IconName; name: string; dry: string; part: string; all: string };

/** The share of a parcel that is in wetlands or a flood zone, as a fact. */
function cover(share: number | null, { icon, name, dry, part, all }: Cover): Fact {
  if (share === null) return { icon, state: 'unknown', title: name, more: NO_DATA };
  const more = `${percent(share)} of the parcel`;
  if (share === 0) return { icon, state: 'yes', title: dry, more };
  return share >= 50 ? { icon, state: 'no', title: all, more } : { icon, state: 'part', title: part, more };
}

function waterfront({ waterfront: isOnWater, waterfront_ft, water_name }: Detail): Fact[] {
  if (isOnWater !== true) return [];
  const feet = numberOf(waterfront_ft);
  const shore = feet ? `${count(feet)} ft of shore` : 'According to the roll';
  const more = typeof water_name === 'string' ? `${shore} on ${titleCase(water_name)}` : shore;
  return [{ icon: 'waves', state: 'yes', title: 'Waterfront', more }];
}

function buildable(detail: Detail): Fact {
  const icon = 'land-plot';
  const [left, piece] = [numberOf(detail.buildable_acres), numberOf(detail.buildable_patch_acres)];
  if (left === null || piece === null)
    return { icon, state: 'unknown', title: 'Buildable land', more: NO_DATA };
  const title = `${acres(left)} acres buildable`;
  if (piece === 0) return { icon, state: 'no', title, more: 'No piece is 60 ft wide' };
  const more = `of ${acres(numberOf(detail.calculated_acres) ?? left)}, one piece of ${acres(piece)}`;
  return { icon, state: Number(detail.buildable_percent) >= MOSTLY_BUILDABLE ? 'yes' : 'part', title, more };
}

function slope(mean: number | null): Fact {
  const icon = 'mountain';
  if (mean === null) return { icon, state: 'unknown', title: 'Slope', more: NO_DATA };
  const more = `Average slope ${oneDigit(mean)}%`;
  if (mean < GENTLE) return { icon, state: 'yes', title: 'Gentle', more };
  return mean < MODERATE
    ? { icon, state: 'part', title: 'Moderate', more }
    : { icon, state: 'no', title: 'Steep', more };
}

/** The roll's class code can contradict its buildings, so the two are always shown together. */
function vacancy({ vacant, structure_count, land_use_code: code }: Detail): Fact {
  const structures = numberOf(structure_count);
  const built = structures ? `${structures} ${structures === 1 ? 'building' : 'buildings'}` : undefined;
  const of = code ? `class ${code}` : undefined;
  const more = (words: string | undefined) => capitalized([words, of].filter(Boolean).join(', '));
  if (typeof vacant !== 'boolean')
    return {
      icon: 'trees',
      state: 'unknown',
      title: 'Buildings',
      more: more(built) || 'No data on the roll',
    };
  return vacant
    ? { icon: 'trees', state: 'yes', title: 'Vacant', more: more('no building on the roll') }
    : { icon: 'house', state: 'part', title: 'Has buildings', more: more(built) || 'According to the roll' };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const landFacts = (detail: Detail): Fact[] => [
  roadAccess(detail),
  ...waterfront(detail),
  buildable(detail),
  slope(numberOf(detail.mean_slope_percent)),
  cover(numberOf(detail.wetlands_percent), {
    icon: 'droplets',
    name: 'Wetlands',
    dry: 'No wetlands',
    part: 'Partly wetlands',
    all: 'Mostly wetlands',
  }),
  cover(numberOf(detail.flood_zone_percent), {
    icon: 'waves',
    name: 'Flood zone',
    dry: 'Outside flood zone',
    part: 'Partly in flood zone',
    all: 'Mostly in flood zone',
  }),
  vacancy(detail),
];

/** The land at a glance. Each fact is marked as good, partly good, bad, or unknown. */
export const LandFacts = ({ detail }: { detail: Detail }) => (
  <ul class="land">
    {landFacts(detail).map(({ icon, state, title, more }) => (
      <li class={state}>
        <Icon name={icon} large />
        <b>{title}</b>
        <span>{more}</span>
      </li>
    ))}
  </ul>
);

/** The share of the area that is steeper than each grade, as a table with bars. */
export function Slopes({ shares }: { shares: number[] | null }) {
  if (shares === null || shares === undefined) return null;
  return (
    <section>
      <h3>Slope</h3>
      <table class="bars">
        <thead>
          <tr>
            <th>Steeper than</th>
            <th>Share of area</th>
          </tr>
        </thead>
        <tbody>
          {/* The last row is the first grade that no part of the parcel exceeds. */}
          {SLOPE_GRADES.filter((_, i) => i === 0 || shares[i - 1]! > 0).map((grade, i) => (
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
