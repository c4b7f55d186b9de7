import { PlatError } from '../errors.ts';
import { type FacingStretch, prepareFrontage } from '../kernels/frontage/frontage.ts';
import { type ComputedParcel, computeChunk, LAND_KERNELS, type LandKernels } from '../land/compute.ts';
import type { LandInput } from '../land/read-land.ts';
import { openElevation, type SlopeCell } from '../raster/elevation.ts';

/** A parcel's figures as a chunk computes them, and what they were made of. */
export type Computed = {
  figures: ComputedParcel;
  /** Why a kind of layers is in `figures.remaining`: it could not be computed. */
  failures: string[];
  facing: FacingStretch[];
  /** Null when there are too many. */
  cells: SlopeCell[] | null;
};

/** Computes the one parcel of an input, and keeps the stretches of boundary and the cells that made its figures. */
export async function computeParcel(input: LandInput, signal: AbortSignal): Promise<Computed> {
  const made: Pick<Computed, 'facing' | 'cells'> = { facing: [], cells: [] };
  const kernels: LandKernels = {
    ...LAND_KERNELS,
    prepareFrontage(roads, parcels, reachM) {
      const prepared = prepareFrontage(roads, parcels, reachM);
      return {
        ...prepared,
        of(id) {
          made.facing = prepared.facing(id);
          return prepared.of(id);
        },
      };
    },
    openElevation(tiles, options) {
      const opened = openElevation(tiles, options);
      return {
        ...opened,
        async terrainOf(shape) {
          made.cells = await opened.cellsOf(shape).catch(tooMany);
          return opened.terrainOf(shape);
        },
      };
    },
  };
  const { parcels, failures } = await computeChunk(input, kernels, { signal });
  return { figures: parcels[0]!, failures: failures.map(({ message }) => message), ...made };
}

function tooMany(error: unknown): null {
  if (error instanceof PlatError && error.code === 'elevation_cells') return null;
  throw error;
}
