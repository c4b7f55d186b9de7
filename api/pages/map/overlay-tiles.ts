import { boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { decodeBoundary, decodeLines, isBoundary } from '../../../shared/geo/geometry-codec.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { listOverlays } from '../../../shared/land/overlay-feeds.ts';
import { listOverlayFeatures } from '../../../shared/parcels/map-statements.ts';
import {
  boundsOf,
  encoded,
  type Feature,
  lines,
  MAX_FEATURES,
  projector,
  pxE7,
  rings,
  type Tile,
  toUnits,
} from '../../tiles/tile-geometry.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';

/** The lowest zoom level at which features are distinguishable. */
const FROM = 10;

/** A tile of an overlay's features, each with its class and the color of its class. */
export async function makeOverlayTile({ db }: Resources, name: string, tile: Tile): Promise<Buffer> {
  const overlay = (await listOverlays(db)).find(other => other.name === name);
  if (overlay === undefined || tile.z < FROM) return encoded({ overlay: [] });
  const colors = new Map(overlay.classes.map(item => [item.class, item.color]));
  const project = projector(tile);
  const rows = await listOverlayFeatures(db, {
    name,
    box: boxSql(boxToE7(boundsOf(tile))),
    least_area: pxE7(tile) ** 2,
    limit: MAX_FEATURES,
  });
  const features = rows.flatMap(({ class: own, geometry: bytes }): Feature[] => {
    const tags = { class: own, color: colors.get(own) ?? '#888888' };
    if (isBoundary(bytes)) {
      const geometry = rings(decodeBoundary(bytes), project, tile.z);
      return geometry.length === 0 ? [] : [{ type: 3, geometry, tags }];
    }
    const drawn = decodeLines(bytes);
    const points = drawn.filter(isPoint).map(line => toUnits(project(line[0]!)));
    const geometry = lines(
      drawn.filter(line => !isPoint(line)),
      project,
      tile.z,
    );
    return [
      ...(points.length === 0 ? [] : [{ type: 1 as const, geometry: points, tags }]),
      ...(geometry.length === 0 ? [] : [{ type: 2 as const, geometry, tags }]),
    ];
  });
  return encoded({ overlay: features });
}

/** Points are stored as lines from a place to itself. */
const isPoint = (line: readonly Position[]): boolean =>
  line.every(([x, y]) => x === line[0]![0] && y === line[0]![1]);
