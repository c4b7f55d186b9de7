import type { RoadClass, RoadReach } from '../../shared/domain/land.ts';
import type { MultiPolygon, Position } from '../../shared/kernels/geometry/types.ts';

export type PreparedOverlap = { percentOf(shape: MultiPolygon): number };
export type Road = { class: RoadClass; line: Position[] };
export type Neighbour = { id: number; shape: MultiPolygon };
export type Frontage = { highwayFt: number; normalFt: number; localFt: number; landlocked: boolean };
export type PreparedFrontage = { of(id: number): Frontage };
export type ElevationTile = {
  source: string;
  fingerprint: string;
  width: number;
  height: number;
  originX: number;
  originY: number;
  stepX: number;
  stepY: number;
  crs: string;
  unitM: number;
  nodata: number | null;
};
export type Terrain = {
  minElevationM: number;
  meanElevationM: number;
  maxElevationM: number;
  meanSlopePercent: number;
  steeperPercent: number[];
};
export type OpenElevation = {
  terrainOf(shape: MultiPolygon): Promise<Terrain | null>;
  close(): Promise<void>;
};

/** What computes the figures of parcels; tests count calls, or let one fail. */
export type LandKernels = {
  prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap;
  prepareFrontage(roads: readonly Road[], parcels: readonly Neighbour[], reachM: RoadReach): PreparedFrontage;
  openElevation(tiles: readonly ElevationTile[], options: { signal: AbortSignal }): OpenElevation;
};
