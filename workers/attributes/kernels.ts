import type { RoadReach } from '../../shared/domain/land.ts';
import type { MultiPolygon } from '../../shared/geo/types.ts';
import {
  type Neighbour,
  type PreparedFrontage,
  prepareFrontage,
  type Road,
} from '../../shared/kernels/frontage/frontage.ts';
import { type PreparedOverlap, prepareOverlap } from '../../shared/kernels/overlap/overlap.ts';
import {
  type ElevationTile,
  newBlockCache,
  type OpenElevation,
  openElevation,
} from '../../shared/raster/elevation.ts';

/** What computes the figures of parcels; tests have some that count what they are given, or fail. */
export type LandKernels = {
  prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap;
  prepareFrontage(
    roads: readonly Road[],
    parcels: readonly Neighbour[],
    reachM: RoadReach,
  ): Pick<PreparedFrontage, 'of'>;
  openElevation(
    tiles: readonly ElevationTile[],
    options: { signal: AbortSignal },
  ): Pick<OpenElevation, 'terrainOf' | 'close'>;
};

/** Chunks that follow on one another lie side by side. */
const blocks = newBlockCache();

export const LAND_KERNELS: LandKernels = {
  prepareOverlap,
  prepareFrontage,
  openElevation: (tiles, { signal }) => openElevation(tiles, { signal, blocks }),
};
