import type { MultiPolygon, Position } from '../../geo/types.ts';
import { boundaryWalk, walkBoundary } from './boundary.ts';
import { gap } from './nearest.ts';
import { type Neighbourhood, neighbourhoodOf } from './neighbourhood.ts';
import { walkThroughOnce } from './repeats.ts';
import { BULB_M, CLASSES, M_PER_FT, type RoadClass, type RoadReach, SLACK_M } from './rules.ts';
import type { Segments } from './segments.ts';
import type { ThroughRun } from './through.ts';
import { isTouched } from './touch.ts';

export type { RoadClass, RoadReach } from './rules.ts';

/** The centreline of a road that counts, [lon, lat] in degrees. */
export type Road = { class: RoadClass; line: readonly Position[] };

/** A parcel, [lon, lat] in degrees: closed rings, the exterior of a polygon first. Winding does not matter. */
export type Neighbour = { id: number; shape: MultiPolygon };

/** Lengths in international feet. */
export type Frontage = { highwayFt: number; normalFt: number; localFt: number; landlocked: boolean };

/** A stretch of boundary that faces a road of the class, or of a centreline that runs through the parcel: that may count twice. */
export type FacingStretch = { class: RoadClass; line: Position[]; sides: 1 | 2 };

export type PreparedFrontage = {
  /** @throws RangeError for a parcel that is not among the neighbours, as does `facing`. */
  of(id: number): Frontage;
  /** The stretches that make up the frontage, for drawing. */
  facing(id: number): FacingStretch[];
};

/**
 * Road frontage: how much of a parcel's boundary faces a road of each class.
 *
 * A point of the boundary faces a road when
 * - the road is within the reach of its class, measured to where it comes nearest to the point (BULB_M more to a dead end, as
 *   centrelines often stop before the bulb of a cul-de-sac),
 * - the way there leaves on the outer side, at no more than 52.5 degrees from the boundary's normal (a side line runs away from the
 *   road: its way to the road is along itself; a boundary drawn along a centreline faces it, and so does one across a dead end for
 *   HALF_STREET_M to either side), and
 * - no parcel lies on that way, this one included, up to half a narrow way (HALF_WAY_M) before the centreline; a parcel that is the
 *   road's own public way does not count (see ways.ts).
 * It counts for the class of the nearest road that it faces. So on a corner lot the front counts for one street to its very end and the
 * flank for the other, however wide each of them is.
 * Boundaries of holes count as any. Parcels stacked upon another (units of a condominium) do not shut each other off, because the way
 * begins outside of all of them.
 *
 * A road that runs through a parcel counts on both sides, the length of its centreline inside twice; but a side on which the
 * parcel ends within HALF_WAY_M of the centreline has no ground beyond the road and does not count. So a road that is mapped
 * a little inside of the front it serves counts once, as it would a little outside. What is mapped twice counts once (repeats.ts).
 *
 * Landlocked is a parcel without frontage whose ground no road comes within HALF_WAY_M of.
 *
 * Lengths are sums over equal pieces of at most PIECE_M, whose middles are asked: a stretch is off by less than a piece. Most
 * pieces are decided many at a time, with the same outcome (see boundary.ts and run-rule.ts).
 *
 * @param roads only those that count; parts further than frontageMarginM from a parcel change nothing for it
 * @param parcels the parcels asked for and all within frontageMarginM of them
 */
export function prepareFrontage(
  roads: readonly Road[],
  parcels: readonly Neighbour[],
  reachM: RoadReach,
): PreparedFrontage {
  const reaches = CLASSES.map(name => reachM[name]);
  const near = neighbourhoodOf(
    roads,
    parcels.map(({ shape }) => shape),
    reaches,
  );
  const numberOf = new Map(parcels.map(({ id }, i) => [id, i]));
  const lengthsM = new Float64Array(CLASSES.length);
  let stretches: Stretch[] | null = null;

  const alongBoundary = boundaryWalk(near, reaches, (edge, from, to, pieces, rank) => {
    lengthsM[rank]! += ((to - from) / pieces) * lengthOf(near.edges, edge);
    if (stretches !== null)
      extend(stretches, { lines: near.edges, i: edge, from, to, pieces, rank, sides: 1 });
  });
  const addThrough: ThroughRun = (segment, from, to, pieces, sides) => {
    const rank = near.roads.classOf[segment]!;
    lengthsM[rank]! += sides * ((to - from) / pieces) * lengthOf(near.roads, segment);
    if (stretches !== null)
      extend(stretches, { lines: near.roads, i: segment, from, to, pieces, rank, sides });
  };

  function measure(id: number): number {
    const parcel = numberOf.get(id);
    if (parcel === undefined) throw new RangeError(`Parcel ${id} is not among the neighbours given.`);
    lengthsM.fill(0);
    walkBoundary(alongBoundary, parcel);
    const { edges, firstEdge } = near;
    walkThroughOnce(near.roads, { edges, from: firstEdge[parcel]!, to: firstEdge[parcel + 1]! }, addThrough);
    return parcel;
  }

  return {
    of(id) {
      const parcel = measure(id);
      const highwayFt = lengthsM[0]! / M_PER_FT;
      const normalFt = lengthsM[1]! / M_PER_FT;
      const localFt = lengthsM[2]! / M_PER_FT;
      const landlocked = highwayFt + normalFt + localFt === 0 && !isTouched(near, parcel);
      return { highwayFt, normalFt, localFt, landlocked };
    },
    facing(id) {
      stretches = [];
      measure(id);
      const lines = joined(stretches, near);
      stretches = null;
      return lines;
    },
  };
}

/** How far around a parcel roads and other parcels can change its frontage. */
export function frontageMarginM(reachM: RoadReach): number {
  return Math.max(...CLASSES.map(name => reachM[name])) + BULB_M;
}

/** Pieces `from` up to `to` of a segment. */
type Stretch = {
  lines: Segments;
  i: number;
  from: number;
  to: number;
  pieces: number;
  rank: number;
  sides: 1 | 2;
};

/** Adds a stretch to the last one, if it goes on there on the same segment, or to the list. */
function extend(stretches: Stretch[], next: Stretch): void {
  const last = stretches.at(-1);
  const goesOn = last?.i === next.i && last.to === next.from && isAlike(last, next);
  if (goesOn) last.to = next.to;
  else stretches.push(next);
}

const isAlike = (a: Stretch, b: Stretch) => a.lines === b.lines && a.rank === b.rank && a.sides === b.sides;

function pointAt({ lines: { x1, y1, x2, y2 }, i, pieces }: Stretch, piece: number): [x: number, y: number] {
  const share = piece / pieces;
  return [x1[i]! + share * (x2[i]! - x1[i]!), y1[i]! + share * (y2[i]! - y1[i]!)];
}

function lengthOf({ x1, y1, x2, y2 }: Segments, i: number): number {
  return gap(x1[i]!, y1[i]!, x2[i]!, y2[i]!);
}

/** Stretches that follow on one another, as lines in degrees. */
function joined(stretches: readonly Stretch[], { plane }: Neighbourhood): FacingStretch[] {
  const lines: FacingStretch[] = [];
  let before: Stretch | undefined;
  for (const each of stretches) {
    const [x, y] = pointAt(each, each.from);
    const end = plane.toDegrees(...pointAt(each, each.to));
    const [lastX, lastY] = before === undefined ? [Infinity, Infinity] : pointAt(before, before.to);
    const follows =
      before !== undefined && isAlike(before, each) && Math.hypot(x - lastX, y - lastY) < SLACK_M;
    if (follows) lines.at(-1)!.line.push(end);
    else lines.push({ class: CLASSES[each.rank]!, line: [plane.toDegrees(x, y), end], sides: each.sides });
    before = each;
  }
  return lines;
}
