import { boxContains, emptyBox, growBox } from '../../../../shared/geo/box.ts';
import type { Position } from '../../../../shared/geo/geometry-types.ts';
import { pointOnSurface } from '../../../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../../../shared/geo/prepare-geometry.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import type { GeometryFault } from '../../engine/check-part.ts';
import type { Places } from '../../layers/check-place.ts';
import { countyBox } from '../../layers/gate-place.ts';
import type { AssessorFeed } from './assessor-feed.ts';
import { outsideParcelsFault, unusableShapesFault } from './parcel-gates.ts';
import { type PlacedPoints, sumOutside } from './parcels-outside.ts';
import { pointOf, stageGeometry } from './stage-boundary.ts';

const NO_SHAPE: GeometryFault = {
  reason: 'geometry_missing',
  message: 'The feature has no geometry, and this input exists for its geometry.',
  refuses: true,
};

/** A point of each parcel, by county. A roll's row with an unusable geometry is a parcel without one. */
export function parcelPlaces({
  gates,
}: AssessorFeed): Places & { addShape: Places['add']; warnings(): string[] } {
  const counties = new Map<number, PlacedPoints>();
  const shapes = { points: 0, areas: 0, unusable: 0 };

  function add({ geometry }: SourceRow, fips: number | undefined, refuses: boolean): GeometryFault | null {
    if (geometry === null) return null;
    const isPoint = pointOf(geometry) !== null;
    const staged = isPoint ? stageGeometry(geometry) : prepareBoundary(geometry);
    if (!staged.ok && !refuses) shapes.unusable++;
    if (!staged.ok) return { reason: `geometry_${staged.reason}`, message: staged.message, refuses };
    shapes[isPoint ? 'points' : 'areas']++;
    const box = fips === undefined ? null : countyBox(fips);
    if (fips === undefined || box === null) return null;
    const [lon, lat] =
      'polygons' in staged ? pointOnSurface(staged.polygons) : (pointOf(geometry) as Position);
    const existing = counties.get(fips) ?? { fips, points: 0, outside: 0, extent: emptyBox() };
    counties.set(fips, existing);
    existing.points++;
    if (!boxContains(box, lon, lat)) existing.outside++;
    growBox(existing.extent, [lon, lat, lon, lat]);
    return null;
  }

  return {
    add: (row, { fips }) => add(row, fips, false),
    addShape: (row, { fips }) => (row.geometry === null ? NO_SHAPE : add(row, fips, true)),
    problems() {
      const faults = [
        outsideParcelsFault(sumOutside([...counties.values()]), gates),
        unusableShapesFault(shapes.unusable, shapes.points + shapes.areas),
      ];
      return faults.filter(message => message !== null);
    },
    warnings: () =>
      shapes.points > 0 && shapes.areas === 0
        ? [
            'The shapes are points alone: boundaries are missing. Parcels get a place, and nothing of their land is measured: neither acres nor frontage, wetlands, flood zones or slope. Where the county has a layer of polygons, give that as `shape`.',
          ]
        : [],
  };
}
