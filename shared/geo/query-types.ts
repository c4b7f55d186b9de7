import type { Polygon, Position } from './types.ts';

/**
 * A query's shape, whatever it was written as, sorted into its elements; degrees WGS84, longitude first. What it covers is the union
 * of them, so parts may overlap. Rings are closed, hold no repeated positions, cross nothing, and holes lie within their shells.
 * An EMPTY geometry has no elements and meets nothing.
 */
export type QueryGeometry = { points: Position[]; lines: Position[][]; polygons: Polygon[] };

export type QueryLimits = {
  /** Positions in all, without those that close a ring. */
  maxVertices: number;
  /** How deep collections may hold collections. */
  maxDepth: number;
};

/** 10,000 vertices is the published limit; no writer of WKT nests collections deeper than two or three. */
export const QUERY_LIMITS: QueryLimits = { maxVertices: 10_000, maxDepth: 8 };

/**
 * syntax: not a geometry as the format has it; range: a position that is not on the globe; ring: a polygon whose rings are
 * unclosed, too short, crossing or misplaced; too_complex: well-formed, but over a limit.
 */
export type QueryFaultKind = 'syntax' | 'range' | 'ring' | 'too_complex';

export type ParsedQuery =
  | { ok: true; geometry: QueryGeometry }
  | { ok: false; kind: QueryFaultKind; message: string };
