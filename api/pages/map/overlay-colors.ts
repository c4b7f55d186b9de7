import { count, oneDigit, percent } from '../../../shared/model/figures.ts';
import type { Overlay, OverlayNumber } from '../../../shared/model/overlays.ts';
import { literal } from '../../../shared/platform/statements.ts';
import { joined } from '../../v1/parcels/filter/filter-hits.ts';

/** Feet to the nearest feature. */
const DISTANCES = [250, 1000, 2640];
/** The color of parcels on which the overlay has no class. */
const ABSENT = '#d9d4c7';

/** An overlay's colors: by its largest class, or by share if it has only one, by distance, and by numbers. */
export function colorsOf(overlay: Overlay) {
  const { name, label, distance_ft, numbers } = overlay;
  const join = `${joined('parcel_overlays', 'o')} and o.overlay = ${literal(name)}`;
  const of = { name: `overlay.${name}`, label, join };
  return [
    { ...of, ...classFigure(overlay) },
    ...(distance_ft === null ? [] : [distanceColor(of, distance_ft)]),
    ...numbers.map(number => numberColor(of, number)),
  ];
}

function classFigure({ classes }: Overlay) {
  if (classes.length === 1) return { figure: 'o.percent', breaks: [1, 10, 25, 50], shown: percent };
  const names = literal(classes.map(item => item.class));
  return {
    figure: `case when o.classes = '{}' then ${classes.length} else array_position(${names}::text[], o.classes[1]) - 1 end`,
    kinds: [...classes.map(item => item.label), 'None'],
    swatches: [...classes.map(item => item.color), ABSENT],
  };
}

type Named = { name: string; label: string; join: string };

/** If no feature is near, the nearest one is farther than all distances that were measured. */
const distanceColor = (of: Named, distance: number) => ({
  ...of,
  name: `${of.name}.distance_ft`,
  label: `${of.label} (distance)`,
  figure: `coalesce(o.nearest_ft, case when o.property_id is not null then ${literal(distance)} end)`,
  breaks: DISTANCES.filter(feet => feet < distance),
  shown: (figure: number) => `${count(figure)} ft`,
});

const numberColor = (of: Named, { name, label, unit }: OverlayNumber) => ({
  ...of,
  name: `${of.name}.${name}`,
  label,
  figure: `(o.numbers ->> ${literal(name)})::float8`,
  shown: (figure: number) => [oneDigit(figure), unit].filter(Boolean).join(' '),
});
