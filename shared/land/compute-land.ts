import { setImmediate as nextTurn } from 'node:timers/promises';
import { boxOf } from '../geo/box.ts';
import { areaSqM, sqMToAcres } from '../geo/geodesic-area.ts';
import type { MultiPolygon } from '../geo/geometry-types.ts';
import {
  type Access,
  type Neighbor,
  type PreparedFrontage,
  prepareFrontage,
  type Road,
} from '../kernels/frontage/frontage.ts';
import { prepareNearest } from '../kernels/nearest-feature.ts';
import { type PreparedOverlap, prepareOverlap, prepareShares } from '../kernels/overlap.ts';
import { type PreparedShore, prepareShore, type Water } from '../kernels/shore.ts';
import { round2 } from '../kernels/stats/rounding.ts';
import {
  BUILDABLE_LAYERS,
  LAYER_BITS,
  LAYER_KINDS,
  type LayerKind,
  type RoadReach,
} from '../model/land-layers.ts';
import type { ParcelOverlay } from '../model/overlays.ts';
import { isRetryable, messageOf, PlatError } from '../platform/errors.ts';
import { newBlockCache } from '../raster/chunks.ts';
import { type ElevationTile, type OpenElevation, openElevation } from '../raster/elevation-grid.ts';
import { CACHE_BYTES } from '../raster/limits.ts';
import { type Layer, type MarkedParcel, maxReach } from './marked-layers.ts';
import { type BuildableFigures, hasSlopes, measureBuildable, newSteepOutline } from './measure-buildable.ts';
import { type OverlayKernels, prepareOverlays } from './measure-overlays.ts';
import type { LandInput } from './read-land.ts';

/**
 * Functions that compute the figures for parcels. Tests replace them to count calls or to simulate failures.
 */
export type LandKernels = OverlayKernels & {
  prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap;
  prepareFrontage(
    roads: readonly Road[],
    parcels: readonly Neighbor[],
    reachM: RoadReach,
  ): Pick<PreparedFrontage, 'of'>;
  prepareShore(waters: readonly Water[], around: readonly MultiPolygon[]): PreparedShore;
  openElevation(
    tiles: readonly ElevationTile[],
    options: { signal: AbortSignal },
  ): Pick<OpenElevation, 'terrainOf' | 'close'>;
};

/** Shared by all chunks, because consecutive chunks cover adjacent areas. */
const blocks = newBlockCache(CACHE_BYTES);

export const LAND_KERNELS: LandKernels = {
  prepareOverlap,
  prepareShares,
  prepareNearest,
  prepareFrontage,
  prepareShore,
  openElevation: (tiles, { signal }) => openElevation(tiles, { signal, blocks }),
};

/** What is computed together: the figures of a layer, or buildable land, which depends on several layers. */
export type FigureKind = LayerKind | 'buildable';

/** The columns in parcel_attributes that the layers fill. */
export type Figures = BuildableFigures & {
  min_elevation_m: number | null;
  mean_elevation_m: number | null;
  max_elevation_m: number | null;
  mean_slope_percent: number | null;
  steeper_percent: number[] | null;
  highway_frontage_ft: number | null;
  road_frontage_ft: number | null;
  local_frontage_ft: number | null;
  access: Access | null;
  landlocked: boolean | null;
  wetlands_percent: number | null;
  flood_zone_percent: number | null;
  waterfront_ft: number | null;
  water_name: string | null;
};

export const COLUMNS_OF: Record<FigureKind, readonly (keyof Figures | keyof Runs)[]> = {
  elevation: [
    ...(['elevation_runs', 'min_elevation_m', 'mean_elevation_m', 'max_elevation_m'] as const),
    ...(['mean_slope_percent', 'steeper_percent'] as const),
  ],
  roads: [
    ...(['roads_runs', 'highway_frontage_ft', 'road_frontage_ft', 'local_frontage_ft'] as const),
    ...(['access', 'landlocked'] as const),
  ],
  wetlands: ['wetlands_runs', 'wetlands_percent'],
  flood: ['flood_runs', 'flood_zone_percent'],
  water: ['water_runs', 'waterfront_ft', 'water_name'],
  // The figures are in parcel_overlays.
  overlay: ['overlay_runs'],
  buildable: ['buildable_acres', 'buildable_percent', 'buildable_patch_acres', 'unbuildable'],
};

/** Bit flags of `ComputedParcel.layers`. */
export const FIGURE_BITS: Record<FigureKind, number> = { ...LAYER_BITS, buildable: 1 << 20 };
export const FIGURE_KINDS = Object.keys(COLUMNS_OF) as FigureKind[];

/** The layer versions behind the figures. */
type Runs = Record<`${LayerKind}_runs`, number[] | null>;

export type ComputedParcel = Figures &
  Runs & {
    property_id: number;
    mark: number;
    shape_hash: string;
    /** The kinds that were computed, as FIGURE_BITS. Ignore the other kinds' columns. */
    layers: number;
    remaining: number;
    overlays: ParcelOverlay[];
  };

export type ComputeOptions = {
  signal: AbortSignal;
  /** Called after every few parcels with the share of the work done so far. */
  progress?: ((share: number) => void) | undefined;
};

export type ComputedChunk = {
  parcels: ComputedParcel[];
  /**
   * Why some or all parcels lack a kind: the first error for each kind, and the first temporary one.
   * Everything else was computed.
   */
  failures: PlatError[];
};

/** Number of parcels to compute (about ten milliseconds) before the event loop continues. */
const PARCELS_PER_TURN = 20;
/** With this many failures, the parcels can't be the cause, so the chunk fails. */
const MAX_FAILED = 10;

/** Writes a kind's columns for a parcel that is covered by layers of that kind. */
type Recipe = {
  fill(subject: MarkedParcel, row: ComputedParcel): void | Promise<void>;
  close?(): Promise<void>;
};

/** What recipes share. A layer's polygons are prepared once for all of them. */
type Context = { signal: AbortSignal; overlapOf(kind: PolygonKind): PreparedOverlap };
type PolygonKind = 'wetlands' | 'flood' | 'water';

function overlapsOf(input: LandInput, { prepareOverlap }: LandKernels): Context['overlapOf'] {
  const prepared = new Map<PolygonKind, PreparedOverlap>();
  return kind => {
    const shapes = () => (kind === 'water' ? input.water.map(({ shape }) => shape) : input[kind]);
    const overlap = prepared.get(kind) ?? prepareOverlap(shapes());
    prepared.set(kind, overlap);
    return overlap;
  };
}

/** Elevation comes last, because buildable land is measured with it, and needs the other layers. */
const IN_ORDER = [...LAYER_KINDS.filter(kind => kind !== 'elevation'), 'elevation'] as const;

/** Computes the figures for a chunk's parcels. An error in one kind doesn't affect the others. */
export async function computeChunk(
  input: LandInput,
  kernels: LandKernels,
  { signal, progress }: ComputeOptions,
): Promise<ComputedChunk> {
  const { subjects } = input;
  const parcels = subjects.map(emptyRow);
  const failures: PlatError[] = [];
  let done = 0;

  const context = { signal, overlapOf: overlapsOf(input, kernels) };

  for (const kind of IN_ORDER) {
    let recipe: Recipe | undefined;
    let failed = 0;
    let first: PlatError | undefined;
    for (const [i, subject] of subjects.entries()) {
      if (++done % PARCELS_PER_TURN === 0) {
        await nextTurn();
        signal.throwIfAborted();
        progress?.(done / (LAYER_KINDS.length * subjects.length));
      }
      if (subject.covering[kind].length === 0) continue;
      const row = parcels[i]!;
      try {
        if (failed >= MAX_FAILED) throw first;
        recipe ??= RECIPES[kind](input, kernels, context);
        row[`${kind}_runs`] = subject.sources[kind].map(runOf);
        await recipe.fill(subject, row);
      } catch (error) {
        signal.throwIfAborted();
        if (first === undefined || (failed < MAX_FAILED && isRetryable(error))) {
          first = failure(kind, subject.id, error);
          failures.push(first);
        }
        // If a server is down, it is down for every parcel. A damaged file affects only the parcels that it
        // covers, and its error is cached.
        if (isRetryable(error)) failed = MAX_FAILED;
        else if (!(error instanceof PlatError)) failed++;
        row.remaining |= LAYER_BITS[kind];
        for (const column of COLUMNS_OF[kind]) Object.assign(row, { [column]: null });
      }
    }
    await recipe?.close?.();
  }
  for (const row of parcels) {
    if ((row.layers & ~row.remaining & BUILDABLE_LAYERS) === BUILDABLE_LAYERS)
      row.layers |= FIGURE_BITS.buildable;
    row.layers &= ~row.remaining;
  }
  return { parcels, failures };
}

const runOf = (layer: Layer) => layer.run_id;

function failure(kind: LayerKind, id: number, cause: unknown): PlatError {
  const message = messageOf(cause);
  return new PlatError(
    'attributes',
    `The ${kind} figures of parcel ${id} could not be computed: ${message}`,
    {
      cause,
      retryable: isRetryable(cause),
    },
  );
}

const shareWithin =
  (kind: 'wetlands' | 'flood', column: 'wetlands_percent' | 'flood_zone_percent') =>
  (_input: LandInput, _kernels: LandKernels, { overlapOf }: Context): Recipe => {
    const overlap = overlapOf(kind);
    return {
      fill({ shape }, row) {
        row[column] = round2(overlap.percentOf(shape));
      },
    };
  };

/**
 * Minimum size of unnamed water that shore is measured on. In New Hampshire, natural ponds of at least 10
 * acres are public waters (RSA 271:20). Smaller ones are mostly farm and detention ponds.
 */
const MIN_UNNAMED_ACRES = 10;

const hasShore = ({ name, shape }: Water): boolean =>
  name !== null || sqMToAcres(areaSqM(shape)) >= MIN_UNNAMED_ACRES;

/**
 * Figures are stored with 2 decimals, as they are shown, so that filtering by the displayed number finds the
 * parcel.
 */
const RECIPES: Record<LayerKind, (input: LandInput, kernels: LandKernels, context: Context) => Recipe> = {
  roads(input, kernels) {
    const frontageFor = frontageByReach(input, kernels);
    return {
      fill({ id, covering }, row) {
        const frontage = frontageFor(covering.roads).of(id);
        row.highway_frontage_ft = round2(frontage.highwayFt);
        row.road_frontage_ft = round2(frontage.normalFt);
        row.local_frontage_ft = round2(frontage.localFt);
        row.access = frontage.access;
        row.landlocked = frontage.access === 'none';
      },
    };
  },
  wetlands: shareWithin('wetlands', 'wetlands_percent'),
  flood: shareWithin('flood', 'flood_zone_percent'),
  water({ water, subjects }, { prepareShore }) {
    const shore = prepareShore(
      water.filter(hasShore),
      subjects.map(({ shape }) => shape),
    );
    return {
      fill({ shape }, row) {
        const { feet, name } = shore.of(shape);
        row.waterfront_ft = round2(feet);
        row.water_name = name;
      },
    };
  },
  overlay({ overlays, subjects }, kernels) {
    const around = boxOf(subjects.flatMap(({ shape }) => shape));
    const layers = overlays.map(layer => prepareOverlays(layer, around, kernels));
    return {
      fill({ shape, covering }, row) {
        const names = new Set(covering.overlay.flatMap(layer => layer.overlays!.map(({ name }) => name)));
        row.overlays = layers.flatMap(layer => layer.of(shape, names));
      },
    };
  },
  elevation({ tiles }, { openElevation }, { signal, overlapOf }) {
    const elevation = openElevation(tiles, { signal });
    return {
      async fill({ shape, covering }, row) {
        const isCovered = row.wetlands_percent !== null && row.flood_zone_percent !== null;
        const steep = isCovered ? newSteepOutline(shape) : undefined;
        const terrain = await elevation.terrainOf(shape, steep);
        if (terrain === null) return;
        row.min_elevation_m = round2(terrain.minElevationM);
        row.mean_elevation_m = round2(terrain.meanElevationM);
        row.max_elevation_m = round2(terrain.maxElevationM);
        row.mean_slope_percent = round2(terrain.meanSlopePercent);
        row.steeper_percent = terrain.steeperPercent.map(round2);
        if (!steep?.ground || !hasSlopes(terrain)) return;
        const buildable = measureBuildable(shape, steep.ground, {
          wetlands: overlapOf('wetlands'),
          flood_zone: overlapOf('flood'),
          water: covering.water.length > 0 ? overlapOf('water') : null,
        });
        Object.assign(row, buildable);
      },
      close: () => elevation.close(),
    };
  },
};

const EMPTY_COLUMNS = Object.fromEntries(
  FIGURE_KINDS.flatMap(kind => COLUMNS_OF[kind].map(column => [column, null])),
) as Figures & Runs;

function emptyRow({ id, mark, layers, shapeHash }: MarkedParcel): ComputedParcel {
  return {
    property_id: id,
    mark,
    shape_hash: shapeHash,
    layers,
    remaining: 0,
    overlays: [],
    ...EMPTY_COLUMNS,
  };
}

/** Prepares frontage once for each reach that applies to any parcel in the chunk. */
function frontageByReach(
  { roads, neighbors }: LandInput,
  kernels: LandKernels,
): (covering: readonly Layer[]) => ReturnType<LandKernels['prepareFrontage']> {
  const prepared = new Map<string, ReturnType<LandKernels['prepareFrontage']>>();
  return covering => {
    const reach = maxReach(covering);
    const key = JSON.stringify(reach);
    const current = prepared.get(key) ?? kernels.prepareFrontage(roads, neighbors, reach);
    prepared.set(key, current);
    return current;
  };
}
