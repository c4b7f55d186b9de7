import { aheadOfCorner, courseTo, isAheadOfCorner } from './corners.ts';
import { END, gap, START } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { BULB_M, CONTACT_M, FACING_COS, HALF_STREET_M, HALF_WAY_M, OVERLAP_M, SLACK_M } from './rules.ts';
import { sweep } from './sight.ts';

/** An edge of a boundary cut into equal pieces: piece k has its middle at (x, y) + (k + 1/2) (stepX, stepY). */
export type Run = {
  edge: number;
  pieces: number;
  x: number;
  y: number;
  stepX: number;
  stepY: number;
  stepM: number;
  /** Unit vector to the outer side. */
  normalX: number;
  normalY: number;
};

export const NONE = 0;
export const ALL = 1;
const MIXED = 2;
export type Verdict = typeof NONE | typeof ALL | typeof MIXED;

// What functions hand on to each other here and not as arguments: V8 puts each double that it passes on the heap.
const lines = new Float64Array(8);
/** The middles of the first and the last piece: px, py, qx, qy. */
const ends = new Float64Array(4);

/**
 * Do all middles of the pieces `from` up to `to` face a segment of road, or none, other roads left aside? MIXED where that is not plain, as
 * always when a limit of the rule is within SLACK_M.
 */
export function judgeRun(
  near: Neighbourhood,
  run: Run,
  from: number,
  to: number,
  segment: number,
  reachM: number,
): Verdict {
  const { roads } = near;
  const ax = roads.x1[segment]!;
  const ay = roads.y1[segment]!;
  const dx = roads.x2[segment]! - ax;
  const dy = roads.y2[segment]! - ay;
  const lengthM = Math.sqrt(dx * dx + dy * dy);
  const px = run.x + (from + 0.5) * run.stepX;
  const py = run.y + (from + 0.5) * run.stepY;
  const qx = run.x + (to - 0.5) * run.stepX;
  const qy = run.y + (to - 0.5) * run.stepY;
  if (lengthM < SLACK_M) return MIXED;
  ends[0] = px;
  ends[1] = py;
  ends[2] = qx;
  ends[3] = qy;
  const alongP = ((px - ax) * dx + (py - ay) * dy) / lengthM;
  const alongQ = ((qx - ax) * dx + (qy - ay) * dy) / lengthM;
  const least = Math.min(alongP, alongQ);
  const most = Math.max(alongP, alongQ);
  // Up to some centimetres before a dead end a point is taken to be at it.
  const fromM = SLACK_M + (roads.isDeadEnd[2 * segment] === 1 ? CONTACT_M : 0);
  const toM = lengthM - SLACK_M - (roads.isDeadEnd[2 * segment + 1] === 1 ? CONTACT_M : 0);
  if (least > fromM && most < toM) {
    return judgeBeside(near, run, segment, reachM);
  }
  const end = most < -SLACK_M ? START : least > lengthM + SLACK_M ? END : undefined;
  if (end === undefined) return MIXED;
  if (isAheadOfCorner(roads, segment, end, ends, SLACK_M)) return NONE;
  if (aheadOfCorner(roads, segment, end, px, py) > -SLACK_M) return MIXED;
  if (aheadOfCorner(roads, segment, end, qx, qy) > -SLACK_M) return MIXED;
  const isStart = end === START;
  const x = isStart ? ax : roads.x2[segment]!;
  const y = isStart ? ay : roads.y2[segment]!;
  const isDead = roads.isDeadEnd[2 * segment + end] === 1;
  const verdict = judgeAtEnd(near, run, segment, x, y, isDead ? reachM + BULB_M : reachM);
  if (verdict !== NONE || !isDead) return verdict;
  // What does not face the dead end may still lie across it.
  const [courseX, courseY] = courseTo(roads, segment, end);
  if (-(courseX * run.normalX + courseY * run.normalY) < FACING_COS - SLACK_M) return NONE;
  const asideP = courseX * (py - y) - courseY * (px - x);
  const asideQ = courseX * (qy - y) - courseY * (qx - x);
  const limitM = HALF_STREET_M + SLACK_M;
  return Math.min(asideP, asideQ) > limitM || Math.max(asideP, asideQ) < -limitM ? NONE : MIXED;
}

/** Every way to the road goes straight across, in one direction. */
function judgeBeside(near: Neighbourhood, run: Run, segment: number, reachM: number): Verdict {
  const { x1, y1, x2, y2 } = near.roads;
  const ax = x1[segment]!;
  const ay = y1[segment]!;
  const dx = x2[segment]! - ax;
  const dy = y2[segment]! - ay;
  const lengthM = Math.sqrt(dx * dx + dy * dy);
  const leftX = -dy / lengthM;
  const leftY = dx / lengthM;
  const px = ends[0]!;
  const py = ends[1]!;
  const qx = ends[2]!;
  const qy = ends[3]!;
  // How far left of the road the ends lie.
  const offP = (px - ax) * leftX + (py - ay) * leftY;
  const offQ = (qx - ax) * leftX + (qy - ay) * leftY;
  const mP = Math.abs(offP);
  const mQ = Math.abs(offQ);
  const leastM = offP > 0 === offQ > 0 ? Math.min(mP, mQ) : 0;
  const mostM = Math.max(mP, mQ);
  const inReach = within(leastM, mostM, reachM);
  if (inReach === NONE) return NONE;
  const inContact = within(leastM, mostM, CONTACT_M);
  const across = leftX * run.normalX + leftY * run.normalY;
  if (Math.abs(across) < FACING_COS - SLACK_M) return NONE;
  if (Math.abs(across) < FACING_COS + SLACK_M || inReach === MIXED) return MIXED;
  if (inContact !== NONE) return inContact;
  const ux = offP > 0 ? -leftX : leftX;
  const uy = offP > 0 ? -leftY : leftY;
  if (offP > 0 === across > 0) return NONE;
  const inWay = within(leastM, mostM, HALF_WAY_M + OVERLAP_M);
  if (inWay !== NONE) return inWay;
  lines[0] = px + OVERLAP_M * ux;
  lines[1] = py + OVERLAP_M * uy;
  lines[2] = px + (mP - HALF_WAY_M) * ux;
  lines[3] = py + (mP - HALF_WAY_M) * uy;
  lines[4] = qx + OVERLAP_M * ux;
  lines[5] = qy + OVERLAP_M * uy;
  lines[6] = qx + (mQ - HALF_WAY_M) * ux;
  lines[7] = qy + (mQ - HALF_WAY_M) * uy;
  const view = sweep(near, segment, lines, true);
  return view === 'open' ? ALL : view === 'closed' ? NONE : MIXED;
}

/** Every way to the road goes to its end, or to a bend from outside, at (x, y). */
function judgeAtEnd(
  near: Neighbourhood,
  run: Run,
  segment: number,
  x: number,
  y: number,
  reachM: number,
): Verdict {
  const px = ends[0]!;
  const py = ends[1]!;
  const qx = ends[2]!;
  const qy = ends[3]!;
  const outM = (x - px) * run.normalX + (y - py) * run.normalY;
  const toP = gap(px, py, x, y);
  const toQ = gap(qx, qy, x, y);
  const mostM = Math.max(toP, toQ);
  // The foot of the perpendicular when it lies between the two.
  const alongP = (x - px) * -run.normalY + (y - py) * run.normalX;
  const alongQ = (x - qx) * -run.normalY + (y - qy) * run.normalX;
  const leastM = alongP > 0 !== alongQ > 0 ? Math.abs(outM) : Math.min(toP, toQ);
  const inReach = within(leastM, mostM, reachM);
  if (inReach === NONE) return NONE;
  if (leastM <= CONTACT_M + SLACK_M || inReach === MIXED) return MIXED;
  // outM / distance is the cosine: it faces the end up to a certain distance.
  const faces = outM <= 0 ? NONE : within(leastM, mostM, outM / FACING_COS);
  if (faces !== ALL) return faces;
  const inWay = within(leastM, mostM, HALF_WAY_M + OVERLAP_M);
  if (inWay !== NONE) return inWay;
  // The points OVERLAP_M from the boundary on the ways lie on a curve; half of that is a line before it, as cosines are over 0.6.
  const startP = OVERLAP_M / 2 / toP;
  const startQ = OVERLAP_M / 2 / toQ;
  const endP = 1 - HALF_WAY_M / toP;
  const endQ = 1 - HALF_WAY_M / toQ;
  lines[0] = px + startP * (x - px);
  lines[1] = py + startP * (y - py);
  lines[2] = px + endP * (x - px);
  lines[3] = py + endP * (y - py);
  lines[4] = qx + startQ * (x - qx);
  lines[5] = qy + startQ * (y - qy);
  lines[6] = qx + endQ * (x - qx);
  lines[7] = qy + endQ * (y - qy);
  const view = sweep(near, segment, lines, false);
  return view === 'open' ? ALL : view === 'closed' ? NONE : MIXED;
}

/** Are all values between two bounds at most a limit, or none? */
function within(least: number, most: number, limit: number): Verdict {
  if (most < limit - SLACK_M) return ALL;
  return least > limit + SLACK_M ? NONE : MIXED;
}
