import { boxAround } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { OpenContext } from '../../../shared/platform/http/download-context.ts';
import type { Gates } from '../../feeds/gates-schema.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import { countFault, type GeometryFault, type RowFacts } from '../engine/check-part.ts';
import type { FilesCheck } from '../engine/dry-run.ts';
import type { Files } from './files-schema.ts';
import {
  homeBoxes,
  type LayerFigures,
  type LayerWords,
  layerArea,
  outsideCoverage,
  outsideFeatures,
  tilesDeclared,
  tilesOutside,
} from './gate-layer.ts';
import type { LandFeed } from './layer-editions.ts';
import { namedTiles, readTiles } from './stage-tiles.ts';

/**
 * Reads the first files' headers.
 * @throws PlatError for the index, or for a file that the feed names directly
 */
export async function checkFiles<Header>(
  files: Files,
  context: OpenContext,
  limit: number,
  read: (source: string) => Promise<Header>,
  use: (header: Header) => Promise<void> | void,
): Promise<FilesCheck> {
  const named = await namedTiles(files, context);
  const check: FilesCheck = { named: named.tiles.length, read: 0, absent: 0, rejected: [] };
  const some = { by: named.by, tiles: named.tiles.slice(0, limit) };
  for await (const [{ rowNo }, outcome] of readTiles(some, read)) {
    check.read++;
    if ('absent' in outcome) check.absent++;
    else if ('reason' in outcome) countFault(check.rejected, rowNo, { ...outcome, field: 'source' });
    else await use(outcome.tile);
  }
  return check;
}

export type Places = {
  add(row: SourceRow, mapped: RowFacts): GeometryFault | null;
  problems(): string[];
};

export function tileProblems(
  tiles: readonly { extent: Box }[],
  { kind, fips, coverage, gates }: LandFeed,
): string[] {
  const extent = boxAround(tiles.map(tile => tile.extent));
  const outside = tilesOutside(tiles, homeBoxes(fips));
  const figures = { outside, rows: tiles.length, extent, declared: tilesDeclared(tiles, coverage) };
  return placeProblems(kind, figures, gates, { rows: 'tiles', area: layerArea(fips) });
}

export function placeProblems(
  part: string,
  figures: Pick<LayerFigures, 'outside' | 'rows' | 'extent' | 'declared'>,
  gates: Gates,
  words: LayerWords,
): string[] {
  return [outsideFeatures(figures, gates, words), outsideCoverage(figures, gates, words)].flatMap(message =>
    message === null ? [] : [`${part}: ${message}`],
  );
}
