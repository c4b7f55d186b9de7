import {
  boxAround,
  boxContains,
  boxOfGeometry,
  emptyBox,
  growBox,
  isEmptyBox,
} from '../../../shared/geo/box.ts';
import type { Box, Position } from '../../../shared/geo/geometry-types.ts';
import { pointOnSurface } from '../../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { isMeasured } from '../../../shared/model/land-layers.ts';
import type { AssessorFeed, ElevationFeed, ImageryFeed, LayerFeed } from '../../feeds/feed.ts';
import type { Gates } from '../feed-schema.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import { outsideParcelsFault, unusableShapesFault } from '../engine/gate.ts';
import {
  type LayerFigures,
  type LayerWords,
  layerArea,
  outsideCoverage,
  outsideFeatures,
} from './gate-layer.ts';
import {
  countyBox,
  declaredPlace,
  extentWords,
  homeBoxes,
  type PlacedPoints,
  sumOutside,
  tilesDeclared,
  tilesOutside,
} from './gate-place.ts';
import { pointOf, stageGeometry } from '../kinds/assessor/stage-boundary.ts';
import { stageFeature } from './stage-feature.ts';
import type { GeometryFault, RowFacts } from '../engine/check-part.ts';

export type Places = {
  add(row: SourceRow, mapped: RowFacts): GeometryFault | null;
  problems(): string[];
};

export function layerPlaces(feed: LayerFeed): Places & { extent(): Box | null } {
  const { kind, fips, gates } = feed;
  const found = emptyBox();
  const boxes = homeBoxes(fips);
  let rows = 0;
  let outside = 0;
  const declared = declaredPlace(feed);
  const extent = () => (isEmptyBox(found) ? null : found);
  const grow = (box: Box | null) => {
    if (box === null) return;
    growBox(found, box);
    declared.add(box);
  };
  return {
    add({ geometry }, mapped) {
      if (mapped.class === null || mapped.class === undefined) {
        grow(boxOfGeometry(geometry));
        return null;
      }
      const result = stageFeature(
        kind,
        { class: mapped.class, called: mapped.called ?? null, at: mapped.at ?? null },
        geometry,
      );
      if (!result.ok) return { reason: result.reason, message: result.message, refuses: true };
      rows++;
      outside += tilesOutside([result.feature], boxes);
      grow(result.feature.extent);
      return null;
    },
    problems() {
      const figures = { outside, rows, extent: extent(), declared: declared.result() };
      return placeProblems('layer', figures, gates, { rows: 'features', area: layerArea(fips) });
    },
    extent,
  };
}

export function coverageWarnings({ kind, fips, coverage }: LayerFeed, extent: Box | null): string[] {
  if (!isMeasured(kind) || fips !== null || coverage !== null || extent === null) return [];
  return [
    `layer: neither fips nor coverage is given: the layer counts as complete in the box around all its features (those read here: ${extentWords(extent)}), where what it does not show is taken for not there. One stray feature widens the box.`,
  ];
}

export function tileProblems(
  tiles: readonly { extent: Box }[],
  { kind, fips, coverage, gates }: ElevationFeed | ImageryFeed,
): string[] {
  const extent = boxAround(tiles.map(tile => tile.extent));
  const outside = tilesOutside(tiles, homeBoxes(fips));
  const figures = { outside, rows: tiles.length, extent, declared: tilesDeclared(tiles, coverage) };
  return placeProblems(kind, figures, gates, { rows: 'tiles', area: layerArea(fips) });
}

function placeProblems(
  part: string,
  figures: Pick<LayerFigures, 'outside' | 'rows' | 'extent' | 'declared'>,
  gates: Gates,
  words: LayerWords,
): string[] {
  return [outsideFeatures(figures, gates, words), outsideCoverage(figures, gates, words)].flatMap(message =>
    message === null ? [] : [`${part}: ${message}`],
  );
}

const NO_SHAPE: GeometryFault = {
  reason: 'geometry_missing',
  message: 'The feature has no geometry, and this input exists for its geometry.',
  refuses: true,
};

/**
 * Of parcels: a point of each, by county. A row of the roll whose geometry is of no use is a
 * parcel without one.
 */
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
