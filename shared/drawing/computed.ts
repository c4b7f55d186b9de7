import { LAYER_BITS, type LayerKind } from '../domain/land.ts';
import { PlatError } from '../errors.ts';
import { type FacingStretch, prepareFrontage } from '../kernels/frontage/frontage.ts';
import {
  type ComputedParcel,
  computeChunk,
  type Figures,
  LAND_KERNELS,
  type LandKernels,
} from '../land/compute.ts';
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

/**
 * How far two computations of one figure may be apart. A chunk lays its plane and its grid around all of its parcels, so roundings
 * differ: on 768 parcels of Bangor and Washington by 1e-3 ft and 7e-6 points at most, but one can move the end of a stretch by a piece, 1.64 ft.
 */
const FRONTAGE_FT = 2;
const PERCENT = 0.05;
const METRES = 0.01;

const FIGURES: Record<keyof Omit<Figures, 'steeper_percent'>, { kind: LayerKind; within: number }> = {
  highway_frontage_ft: { kind: 'roads', within: FRONTAGE_FT },
  road_frontage_ft: { kind: 'roads', within: FRONTAGE_FT },
  local_frontage_ft: { kind: 'roads', within: FRONTAGE_FT },
  landlocked: { kind: 'roads', within: 0 },
  wetlands_percent: { kind: 'wetlands', within: PERCENT },
  flood_zone_percent: { kind: 'flood', within: PERCENT },
  min_elevation_m: { kind: 'elevation', within: METRES },
  mean_elevation_m: { kind: 'elevation', within: METRES },
  max_elevation_m: { kind: 'elevation', within: METRES },
  mean_slope_percent: { kind: 'elevation', within: PERCENT },
};

export type Difference = {
  figure: string;
  stored: number | boolean | null;
  computed: number | boolean | null;
};

/** The figures that come out otherwise now than they are stored; of kinds that could not be computed none. */
export function differences(stored: Figures | null, { figures }: Computed): Difference[] {
  const isKnown = (kind: LayerKind) => (figures.remaining & LAYER_BITS[kind]) === 0;
  const found: Difference[] = [];
  const compare = (
    figure: string,
    before: Difference['stored'],
    now: Difference['computed'],
    within: number,
  ) => {
    const same =
      typeof before === 'number' && typeof now === 'number'
        ? Math.abs(before - now) <= within
        : before === now;
    if (!same) found.push({ figure, stored: before, computed: now });
  };
  for (const [figure, { kind, within }] of Object.entries(FIGURES)) {
    if (!isKnown(kind)) continue;
    const name = figure as keyof typeof FIGURES;
    compare(figure, stored?.[name] ?? null, figures[name], within);
  }
  if (isKnown('elevation')) {
    const [before, now] = [stored?.steeper_percent, figures.steeper_percent];
    for (let i = 0; i < Math.max(before?.length ?? 0, now?.length ?? 0); i++)
      compare(`steeper_percent[${i}]`, before?.[i] ?? null, now?.[i] ?? null, PERCENT);
  }
  return found;
}
