import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  LAYER_BITS,
  LAYER_KINDS,
  type LayerKind,
  ROAD_CLASSES,
  type RoadReach,
} from '../../shared/domain/land.ts';
import type { LandKernels } from './kernels.ts';
import type { ChunkInput, Layer, Subject } from './read-chunk.ts';

/** The columns of parcel_attributes that layers fill. */
export type Figures = {
  min_elevation_m: number | null;
  mean_elevation_m: number | null;
  max_elevation_m: number | null;
  mean_slope_percent: number | null;
  steeper_percent: number[] | null;
  highway_frontage_ft: number | null;
  road_frontage_ft: number | null;
  local_frontage_ft: number | null;
  landlocked: boolean | null;
  wetlands_percent: number | null;
  flood_zone_percent: number | null;
};

/** What becomes of a parcel's row. */
export type ComputedParcel = Figures & {
  property_id: number;
  mark: number;
  shape_hash: string;
  /** The kinds that were computed, as bits. The columns of the others mean nothing. */
  layers: number;
  /** The kinds that are still to be computed. */
  remaining: number;
  elevation_runs: number[] | null;
  roads_runs: number[] | null;
  wetlands_runs: number[] | null;
  flood_runs: number[] | null;
};

export type ComputeOptions = {
  signal: AbortSignal;
  /** Called every few parcels with the share of the work that is done. */
  progress?: ((share: number) => void) | undefined;
};

export type ComputedChunk = {
  parcels: ComputedParcel[];
  /** Why a kind could not be computed; the others were. */
  failures: { kind: LayerKind; error: unknown }[];
};

/** So many parcels are computed, some ten milliseconds, before the process sees to its connections. */
const TURN_PARCELS = 20;

type Fill = (subject: Subject, row: ComputedParcel) => void | Promise<void>;

/**
 * The figures of a chunk's parcels, kind by kind. A kind that fails, such as elevation when a file cannot be read, does not
 * keep the others from being computed.
 * @throws the signal's reason when it is aborted
 */
export async function computeChunk(
  input: ChunkInput,
  kernels: LandKernels,
  { signal, progress }: ComputeOptions,
): Promise<ComputedChunk> {
  const { subjects } = input;
  const parcels = subjects.map(emptyRow);
  const failures: ComputedChunk['failures'] = [];
  let done = 0;

  /** Lets `fill` write the kind's columns of every parcel that has layers of it. */
  const each = async (kind: LayerKind, fill: Fill) => {
    for (const [i, subject] of subjects.entries()) {
      if (++done % TURN_PARCELS === 0) {
        await nextTurn();
        signal.throwIfAborted();
        progress?.(done / (LAYER_KINDS.length * subjects.length));
      }
      if (subject.covering[kind].length === 0) continue;
      parcels[i]![`${kind}_runs`] = subject.covering[kind].map(layer => layer.run_id);
      await fill(subject, parcels[i]!);
    }
  };

  const frontageFor = frontageByReach(input, kernels);
  const recipes: Record<LayerKind, () => Promise<void>> = {
    roads: () =>
      each('roads', ({ id, covering }, row) => {
        const frontage = frontageFor(covering.roads).of(id);
        row.highway_frontage_ft = frontage.highwayFt;
        row.road_frontage_ft = frontage.normalFt;
        row.local_frontage_ft = frontage.localFt;
        row.landlocked = frontage.landlocked;
      }),
    wetlands: () => {
      const overlap = kernels.prepareOverlap(input.wetlands);
      return each('wetlands', ({ shape }, row) => {
        row.wetlands_percent = overlap.percentOf(shape);
      });
    },
    flood: () => {
      const overlap = kernels.prepareOverlap(input.flood);
      return each('flood', ({ shape }, row) => {
        row.flood_zone_percent = overlap.percentOf(shape);
      });
    },
    elevation: async () => {
      const elevation = kernels.openElevation(input.tiles, { signal });
      try {
        await each('elevation', async ({ shape }, row) => {
          const terrain = await elevation.terrainOf(shape);
          if (terrain === null) return;
          row.min_elevation_m = terrain.minElevationM;
          row.mean_elevation_m = terrain.meanElevationM;
          row.max_elevation_m = terrain.maxElevationM;
          row.mean_slope_percent = terrain.meanSlopePercent;
          row.steeper_percent = terrain.steeperPercent;
        });
      } finally {
        await elevation.close();
      }
    },
  };
  for (const kind of LAYER_KINDS) {
    try {
      await recipes[kind]();
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ kind, error });
      for (const row of parcels) {
        row.remaining |= row.layers & LAYER_BITS[kind];
        Object.assign(row, UNKNOWN[kind]);
      }
    }
  }
  for (const row of parcels) row.layers &= ~row.remaining;
  return { parcels, failures };
}

/** The columns of each kind while nothing is known. */
const UNKNOWN = {
  elevation: {
    elevation_runs: null,
    min_elevation_m: null,
    mean_elevation_m: null,
    max_elevation_m: null,
    mean_slope_percent: null,
    steeper_percent: null,
  },
  roads: {
    roads_runs: null,
    highway_frontage_ft: null,
    road_frontage_ft: null,
    local_frontage_ft: null,
    landlocked: null,
  },
  wetlands: { wetlands_runs: null, wetlands_percent: null },
  flood: { flood_runs: null, flood_zone_percent: null },
};

function emptyRow({ id, mark, layers, shapeHash }: Subject): ComputedParcel {
  const { elevation, roads, wetlands, flood } = UNKNOWN;
  const parcel = { property_id: id, mark, shape_hash: shapeHash, layers, remaining: 0 };
  return { ...parcel, ...elevation, ...roads, ...wetlands, ...flood };
}

/** Feeds may have reaches of their own: of those that cover a parcel the largest counts, class by class. */
function frontageByReach(
  { roads, neighbours }: ChunkInput,
  kernels: LandKernels,
): (covering: readonly Layer[]) => ReturnType<LandKernels['prepareFrontage']> {
  const prepared = new Map<string, ReturnType<LandKernels['prepareFrontage']>>();
  return covering => {
    const reach = largestReach(covering);
    const key = JSON.stringify(reach);
    const found = prepared.get(key) ?? kernels.prepareFrontage(roads, neighbours, reach);
    prepared.set(key, found);
    return found;
  };
}

function largestReach(layers: readonly Layer[]): RoadReach {
  const largest = (name: keyof RoadReach) => Math.max(0, ...layers.map(layer => layer.reach_m?.[name] ?? 0));
  const [highway, normal, local] = ROAD_CLASSES.map(largest) as [number, number, number];
  return { highway, normal, local };
}
