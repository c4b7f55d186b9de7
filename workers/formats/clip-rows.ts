import { boxesIntersect, boxOfGeometry, padBox } from '../../shared/geo/box.ts';
import type { Box, Polygon } from '../../shared/geo/geometry-types.ts';
import { intersects, prepareQuery } from '../../shared/geo/intersects.ts';
import { countyOutline, nearestCounty } from '../../shared/regions/county-polygons.ts';
import { type InputSettings, MARGIN_DEG, type ReadWindow } from './input-settings.ts';
import type { RowBatch, SourceRow } from './row-batch.ts';

/** Skips and counts rows outside the area. A parcel without geometry is considered outside. */
export async function* clipRows(
  batches: AsyncIterable<RowBatch>,
  { within }: InputSettings,
): AsyncGenerator<RowBatch> {
  if (within === undefined) {
    yield* batches;
    return;
  }
  const isWanted = testOf(within);
  for await (const batch of batches) {
    const rows = batch.rows.filter(isWanted);
    yield { ...batch, rows, skipped: batch.rows.length - rows.length };
  }
}

function testOf({ box, county }: ReadWindow): (row: SourceRow) => boolean {
  const touches = county?.of === 'features' ? outlineTest(county.fips) : null;
  return ({ geometry }) => {
    const extent = boxOfGeometry(geometry);
    if (extent === null || !boxesIntersect(box, extent)) return false;
    if (county === undefined) return true;
    const [west, south, east, north] = extent;
    // This assigns each parcel to exactly one county.
    return touches ? touches(extent) : nearestCounty((west + east) / 2, (south + north) / 2) === county.fips;
  };
}

function outlineTest(fips: number): (extent: Box) => boolean {
  const outline = prepareQuery({ points: [], lines: [], polygons: countyOutline(fips) });
  return extent => {
    const [west, south, east, north] = padBox(extent, MARGIN_DEG);
    const ring: Polygon = [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ];
    return intersects(outline, [ring]);
  };
}
