import type { AssemblageMember, AssemblageParts, WholeValue } from '../../../shared/land/read-assemblage.ts';
import { acres, count, usd } from '../../../shared/model/figures.ts';
import { nameOfParcel } from '../../../shared/model/roll-text.ts';
import { Facts } from '../frame/layout.tsx';
import type { Detail } from '../parts/read-detail.ts';

const MAX_LISTED = 20;

type Props = { detail: Detail; parts: AssemblageParts | undefined };

/** The section's tab, if there is one. */
export const tabOfAssemblage = (parts: AssemblageParts | undefined) =>
  parts === undefined ? [] : [['assemblage', 'Assemblage', parts.members.length] as const];

/** The owner's lots around the parcel: what they are worth together, and each of them. */
export function Assemblage({ detail, parts }: Props) {
  const { assemblage } = detail;
  if (parts === undefined || assemblage === null) return null;
  const { members, whole } = parts;
  const others = members.filter(({ property_id }) => property_id !== detail.property_id);
  const touching =
    assemblage.touching_parcels === assemblage.parcels
      ? 'all of them touch'
      : assemblage.touching_parcels === 1
        ? 'none of them touch this one'
        : `${lotsText(assemblage.touching_parcels)} with ${acres(assemblage.touching_acres)} acres touch`;
  return (
    <section id="assemblage">
      <h2>Assemblage</h2>
      <p>
        This owner has {lotsText(assemblage.parcels)} within 30 m of each other, {acres(assemblage.acres)}{' '}
        acres in total: {touching}.
      </p>
      <Together members={members} whole={whole} total={assemblage.acres} />
      <ul class="hits">
        {others.slice(0, MAX_LISTED).map(member => (
          <li>
            <a href={`/data?parcel=${member.property_id}`}>
              <b>{nameOfParcel(member)}</b>
              <span>{noteOf(member)}</span>
            </a>
          </li>
        ))}
      </ul>
      {others.length > MAX_LISTED && (
        <p class="hint">And {count(others.length - MAX_LISTED)} more. The map shows all of them.</p>
      )}
    </section>
  );
}

const lotsText = (lots: number) => `${count(lots)} ${lots === 1 ? 'lot' : 'lots'}`;

function noteOf({ effective_acres: size, value }: AssemblageMember): string {
  const notes = [size === null ? '' : `${acres(size)} ac`, value === null ? '' : usd(value)];
  return notes.filter(Boolean).join(' · ');
}

type TogetherProps = AssemblageParts & { total: number };

/** Figures of the whole. Parcels with the same boundary are one lot, and count once. */
function Together({ members, whole, total }: TogetherProps) {
  // The largest parcel of each lot, because members are sorted by size.
  const lots = [...new Map(members.toReversed().map(member => [member.lot, member])).values()];
  const sumOf = (name: 'value' | 'frontage_ft' | 'buildable_acres') => {
    const known = lots.flatMap(member => member[name] ?? []);
    return { of: known.length, sum: known.reduce((total, one) => total + one, 0) };
  };
  const parts = sumOf('value');
  const frontage = sumOf('frontage_ft');
  const buildable = sumOf('buildable_acres');
  const ofLots = (known: number) => (known === lots.length ? '' : ` (${known} of ${lotsText(lots.length)})`);
  return (
    <>
      <Facts
        of={[
          [
            'Value as one lot',
            whole ? (
              <span data-whole={whole.price}>
                {usd(whole.price)}{' '}
                <small>
                  {usd(whole.low_price)} to {usd(whole.high_price)}
                </small>
              </span>
            ) : null,
          ],
          [
            'Value as separate lots',
            parts.of === 0 ? null : (
              <span data-parts={parts.sum}>
                {usd(parts.sum)}
                {ofLots(parts.of)}
              </span>
            ),
          ],
          [
            'Road frontage',
            frontage.of === 0 ? null : (
              <span data-frontage={frontage.sum}>
                {count(frontage.sum)} ft{ofLots(frontage.of)}
              </span>
            ),
          ],
          [
            'Buildable',
            buildable.of === 0 ? null : (
              <span data-buildable={buildable.sum}>
                {acres(buildable.sum)} ac{ofLots(buildable.of)}
              </span>
            ),
          ],
        ]}
      />
      {whole && <AboutWhole whole={whole} total={total} />}
    </>
  );
}

const AboutWhole = ({ whole, total }: { whole: WholeValue; total: number }) => (
  <p class="hint">
    Use the value as one lot for an offer on all {acres(total)} acres at once. It is the estimate for a single
    lot of that size, with all of the land and road frontage, at the place of the largest lot. The value as
    separate lots adds up their own estimates. Use it if you plan to sell them one by one. The two differ
    because larger lots usually sell for less per acre.
    {whole.out_of_support &&
      ' Use the value as one lot with caution, because few sales nearby are similar to it.'}
  </p>
);
