import type { z } from 'zod';
import { acres, count, oneDigit, percent } from '../../../shared/model/figures.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import type { parcelOverlays } from '../../v1/common/parcel-overlays.ts';
import { Facts } from '../frame/layout.tsx';
import { Swatch } from '../parts/swatch.tsx';

export type OverlayFigures = z.output<typeof parcelOverlays>;
type Props = { figures: OverlayFigures; declared: readonly Overlay[] };

/** A parcel's overlays, such as zoning: the share of each class, the nearest feature, and numbers. */
export function ParcelOverlays({ figures, declared }: Props) {
  const shown = declared.filter(({ name }) => figures[name] !== undefined);
  if (shown.length === 0) return null;
  return (
    <>
      {shown.map(overlay => (
        <OverlaySection overlay={overlay} of={figures[overlay.name]!} />
      ))}
    </>
  );
}

function OverlaySection({ overlay, of }: { overlay: Overlay; of: OverlayFigures[string] }) {
  const { name, label, note, classes, numbers, distance_ft } = overlay;
  const { nearest_ft, nearest_name } = of;
  const nearest =
    distance_ft === null
      ? undefined
      : nearest_ft === null
        ? `None within ${count(distance_ft)} ft`
        : nearest_ft === 0
          ? 'On the parcel'
          : `${count(nearest_ft)} ft`;
  const facts = [
    ...(nearest === undefined ? [] : [['Nearest', [nearest, nearest_name].filter(Boolean).join(' · ')]]),
    ...numbers.flatMap(({ name, label, unit }) =>
      of.numbers[name] === undefined
        ? []
        : [[label, [oneDigit(of.numbers[name]), unit].filter(Boolean).join(' ')]],
    ),
  ] as [string, string][];
  return (
    <section data-overlay={name}>
      <h3>{label}</h3>
      {of.classes.length === 0 && distance_ft === null && <p>None on this parcel.</p>}
      {of.classes.length > 0 && (
        <table class="bars">
          <thead class="unseen">
            <tr>
              <th>Class</th>
              <th>Share of area</th>
            </tr>
          </thead>
          <tbody>
            {of.classes.map(share => {
              const known = classes.find(item => item.class === share.class);
              return (
                <tr data-class={share.class}>
                  <th>
                    {known && <Swatch color={known.color} />} {known?.label ?? share.class}
                  </th>
                  <td>
                    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                      <rect width={share.percent} height="6" />
                    </svg>{' '}
                    {percent(share.percent)}
                    {share.acres !== null && ` · ${acres(share.acres)} ac`}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {facts.length > 0 && <Facts of={facts} />}
      {note !== undefined && <p class="note">{note}</p>}
    </section>
  );
}
