/** What was done to a boundary to make it valid. `prepareBoundary` names each once, whatever the number of places. */
export type Repair =
  /** Heights (or any further ordinates) left out. */
  | 'z_dropped'
  /** The last position did not repeat the first. */
  | 'ring_closed'
  /** A position repeated the one before it. */
  | 'duplicate_points_dropped'
  /** The boundary ran out along a line and back along the same line. */
  | 'spike_dropped'
  /** A ring without area was left out, with its holes when it was a shell. */
  | 'zero_area_dropped'
  /** An exterior ran clockwise or a hole counter-clockwise. */
  | 'winding_reversed'
  /** The boundary touched itself; it was split into parts or holes there. */
  | 'self_touch_split'
  /** A ring crossed or ran along itself (a bow-tie, say); every area it winds around was kept, once. */
  | 'self_crossing_split'
  /** A hole crossed its shell and was clipped to it, or lay beyond it and became a part of its own. */
  | 'hole_outside_shell'
  /** Holes overlapped, shared an edge or lay within each other; their union was cut out. */
  | 'holes_merged'
  /** Parts overlapped or shared an edge; their union was taken, so that no area counts twice. */
  | 'parts_merged';

/** Why a geometry cannot be a boundary. */
export type BoundaryFault =
  /** Null, or without any coordinates. */
  | 'no_geometry'
  /** A point, a line, or a collection that holds one. */
  | 'not_an_area'
  /** Not nested as its GeoJSON type asks: a ring or a position is not an array, or a position has fewer than two ordinates. */
  | 'malformed'
  /** A coordinate is not a finite number. */
  | 'not_finite'
  /** A latitude beyond +-90 or a longitude beyond +-180: often a sign that the coordinates are projected or swapped. */
  | 'out_of_range'
  /** No ring has three distinct points. */
  | 'too_few_points'
  /** Nothing is left that has an area. */
  | 'no_area'
  /** The clipper could not resolve the crossings. */
  | 'unrepairable';

export type Fault = { ok: false; reason: BoundaryFault; message: string };

export function fault(reason: BoundaryFault, message: string): Fault {
  return { ok: false, reason, message };
}
