import { type BoxColumns, boxContains, boxOfColumns, emptyBox, growBox } from '../../../../shared/geo/box.ts';
import type { Box, Position } from '../../../../shared/geo/geometry-types.ts';
import { pointOnSurface } from '../../../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../../../shared/geo/prepare-geometry.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { fiveDigits } from '../../../../shared/regions/counties.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import type { GeometryFault } from '../../engine/check-part.ts';
import type { Places } from '../../layers/check-files.ts';
import { countyBox, sidesOf } from '../../layers/gate-layer.ts';
import type { AssessorFeed } from './assessor-feed.ts';
import { type OutsideParcels, outsideParcelsFault, unusableShapesFault } from './parcel-gates.ts';
import { NO_GEOMETRY, pointOf, stageGeometry } from './stage-boundary.ts';

/** A point in each parcel, by county. A roll row with unusable geometry is a parcel without a point. */
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
    addShape: (row, { fips }) =>
      row.geometry === null ? { ...NO_GEOMETRY, refuses: true } : add(row, fips, true),
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
            'The shapes are points, without boundaries. Parcels get a location, but Plat cannot measure their acres, frontage, wetlands, flood zones, or slope. If the county has a polygon layer, add it as `shape`.',
          ]
        : [],
  };
}

type PlacedPoints = { fips: number; points: number; outside: number; extent: Box };

export async function countParcelsOutside(db: Db, fips: number[]): Promise<OutsideParcels> {
  const boxes = fips.flatMap(code => {
    const box = countyBox(code);
    return box ? [{ code, box }] : [];
  });
  const rows = await db.run<Omit<PlacedPoints, 'extent'> & BoxColumns>('feeds/measure_extent', {
    fips: boxes.map(({ code }) => code),
    ...sidesOf(boxes.map(({ box }) => box)),
  });
  return sumOutside(rows.map(row => ({ ...row, extent: boxOfColumns(row) })));
}

function sumOutside(rows: readonly PlacedPoints[]): OutsideParcels {
  const where = rows
    .filter(row => row.outside > 0)
    .map(
      ({ fips, extent: [west, south, east, north] }) =>
        `${fiveDigits(fips)}: longitudes ${west} to ${east}, latitudes ${south} to ${north}`,
    )
    .slice(0, 3)
    .join('; ');
  const sum = (field: 'points' | 'outside') => rows.reduce((total, row) => total + row[field], 0);
  return { points: sum('points'), outside: sum('outside'), where };
}
