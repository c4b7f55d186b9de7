import { boxOf } from '../geo/box.ts';
import { areaSqM, sqMToAcres } from '../geo/geodesic-area.ts';
import type { MultiPolygon } from '../geo/geometry-types.ts';
import { type Ground, groundOf, UNBUILDABLE_REASONS, type UnbuildableReason } from '../kernels/buildable.ts';
import type { PreparedOverlap } from '../kernels/overlap.ts';
import { round2 } from '../kernels/stats/rounding.ts';
import { STEEP_PERCENT } from '../model/land-layers.ts';
import type { AddEdge, SteepOutline, Terrain } from '../raster/elevation-grid.ts';

/** The columns in parcel_attributes. */
export type BuildableFigures = {
  buildable_acres: number | null;
  buildable_percent: number | null;
  buildable_patch_acres: number | null;
  /** Acres by reason, for each reason that was measured. */
  unbuildable: { reason: UnbuildableReason; acres: number }[] | null;
};

/** The layers' polygons by reason. Without water, water isn't measured. */
export type UnbuildableLayers = {
  wetlands: PreparedOverlap;
  flood_zone: PreparedOverlap;
  water: PreparedOverlap | null;
};

/** Ground without a slope may be steep, so there must be less of it than an error in the figures matters. */
const MAX_UNKNOWN_SHARE = 0.01;

export const hasSlopes = ({ knownShare }: Terrain): boolean => knownShare >= 1 - MAX_UNKNOWN_SHARE;

/** Prepares a parcel's ground, and adds the steep ground of the grid that is used. */
export function newSteepOutline(shape: MultiPolygon) {
  const outline = {
    grade: STEEP_PERCENT,
    ground: null as Ground | null,
    start(): AddEdge {
      const ground = groundOf(shape);
      outline.ground = ground;
      return (from, to) => ground.addEdge('steep', from, to);
    },
  };
  return outline satisfies SteepOutline;
}

/** Measures a parcel's buildable land. Its steep ground has already been added. */
export function measureBuildable(
  shape: MultiPolygon,
  ground: Ground,
  layers: UnbuildableLayers,
): BuildableFigures {
  const box = boxOf(shape);
  for (const reason of ['wetlands', 'flood_zone', 'water'] as const)
    for (const polygon of layers[reason]?.near(box) ?? []) ground.add(reason, polygon);
  const { buildable, piece, reasons } = ground.measure();
  const acres = sqMToAcres(areaSqM(shape));
  return {
    buildable_acres: round2(buildable * acres),
    buildable_percent: round2(100 * buildable),
    buildable_patch_acres: round2(piece * acres),
    unbuildable: UNBUILDABLE_REASONS.filter(reason => reason !== 'water' || layers.water !== null).map(
      reason => ({ reason, acres: round2(reasons[reason] * acres) }),
    ),
  };
}
