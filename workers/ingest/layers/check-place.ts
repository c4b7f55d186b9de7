import { boxAround, boxOfGeometry, emptyBox, growBox, isEmptyBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { isMeasured } from '../../../shared/model/land-layers.ts';
import type { Gates } from '../../feeds/gates-schema.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import type { GeometryFault, RowFacts } from '../engine/check-part.ts';
import {
  type LayerFigures,
  type LayerWords,
  layerArea,
  outsideCoverage,
  outsideFeatures,
} from './gate-layer.ts';
import { declaredPlace, extentWords, homeBoxes, tilesDeclared, tilesOutside } from './gate-place.ts';
import type { LandFeed } from './layer-editions.ts';
import { stageFeature } from './stage-feature.ts';
import type { LayerFeed, VectorLayer } from './vector-layer.ts';

export type Places = {
  add(row: SourceRow, mapped: RowFacts): GeometryFault | null;
  problems(): string[];
};

export function layerPlaces(layer: VectorLayer, feed: LayerFeed): Places & { extent(): Box | null } {
  const { fips, gates } = feed;
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
        layer,
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
    `layer: fips and coverage are not set, so Plat assumes that the layer is complete within the bounding box of its features (so far: ${extentWords(extent)}), and that nothing else exists there. A single stray feature enlarges the box.`,
  ];
}

export function tileProblems(
  tiles: readonly { extent: Box }[],
  { kind, fips, coverage, gates }: LandFeed,
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
