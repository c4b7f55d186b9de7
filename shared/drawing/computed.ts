import { UNBUILDABLE_REASONS, type UnbuildableReason } from '../kernels/buildable.ts';
import { type FacingStretch, prepareFrontage } from '../kernels/frontage/frontage.ts';
import {
  COLUMNS_OF,
  type ComputedParcel,
  computeChunk,
  FIGURE_BITS,
  FIGURE_KINDS,
  type FigureKind,
  type Figures,
  LAND_KERNELS,
  type LandKernels,
} from '../land/compute-land.ts';
import type { LandInput } from '../land/read-land.ts';
import { SLOPE_GRADES } from '../model/land-layers.ts';
import { PlatError } from '../platform/errors.ts';
import { openElevation, type SlopeCell } from '../raster/elevation-grid.ts';

/** A parcel's freshly computed land figures, with the data behind them. */
export type ComputedLand = {
  figures: ComputedParcel;
  /** Error messages for the layer kinds in `figures.remaining`, which could not be computed. */
  failures: string[];
  facing: FacingStretch[];
  /** Null if there are too many to draw. */
  cells: SlopeCell[] | null;
};

/**
 * Computes a single parcel the way the land jobs do, but keeps the frontage stretches and slope cells behind
 * its figures.
 */
export async function computeParcel(input: LandInput, signal: AbortSignal): Promise<ComputedLand> {
  const made: Pick<ComputedLand, 'facing' | 'cells'> = { facing: [], cells: [] };
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
        async terrainOf(shape, steep) {
          made.cells = await opened.cellsOf(shape).catch(nullIfTooManyCells);
          return opened.terrainOf(shape, steep);
        },
      };
    },
  };
  const { parcels, failures } = await computeChunk(input, kernels, { signal });
  return { figures: parcels[0]!, failures: failures.map(({ message }) => message), ...made };
}

function nullIfTooManyCells(error: unknown): null {
  if (error instanceof PlatError && error.code === 'elevation_cells') return null;
  throw error;
}

/**
 * Two computations differ by up to 1e-3 ft, but rounding can move the end of a stretch by one piece (1.64
 * ft).
 */
const TOLERANCE = { ft: 2, percent: 0.05, m: 0.01, acres: 0.01 };

export type Difference = {
  figure: string;
  stored: number | boolean | string | null;
  computed: number | boolean | string | null;
};

const acresOf = (figures: Figures | null, reason: UnbuildableReason): number | null =>
  figures?.unbuildable?.find(each => each.reason === reason)?.acres ?? null;

/** Figures whose stored and computed values differ, except for kinds that could not be computed. */
export function findDifferences(stored: Figures | null, { figures }: ComputedLand): Difference[] {
  const isKnown = (kind: FigureKind) => (figures.layers & FIGURE_BITS[kind]) !== 0;
  const result: Difference[] = [];
  const compare = (figure: string, before: Difference['stored'], now: Difference['computed']) => {
    const unit = /_(ft|percent|m|acres)\b/.exec(figure)?.[1] as keyof typeof TOLERANCE | undefined;
    const same =
      typeof before === 'number' && typeof now === 'number' && unit !== undefined
        ? Math.abs(before - now) <= TOLERANCE[unit]
        : before === now;
    if (!same) result.push({ figure, stored: before, computed: now });
  };
  for (const kind of FIGURE_KINDS.filter(isKnown)) {
    for (const column of COLUMNS_OF[kind]) {
      if (column.endsWith('_runs')) continue;
      const name = column as keyof Figures;
      const [before, now] = [stored?.[name] ?? null, figures[name]];
      if (name === 'unbuildable')
        for (const reason of UNBUILDABLE_REASONS)
          compare(`${reason}_acres`, acresOf(stored, reason), acresOf(figures, reason));
      else if (name !== 'steeper_percent')
        compare(name, before as Difference['stored'], now as Difference['computed']);
      else
        for (let i = 0; i < SLOPE_GRADES.length; i++)
          compare(`${name}[${i}]`, stored?.[name]?.[i] ?? null, figures[name]?.[i] ?? null);
    }
  }
  return result;
}
