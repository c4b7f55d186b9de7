/**
 * A block of land cut into lots that share their boundaries exactly. An edge that is cut keeps its two halves as
 * children, so a neighbour that still refers to the whole edge finds the new vertex when its ring is read: whatever is
 * cut later, both sides of a boundary run through the same vertices.
 *
 * Vertices are integers of 1e-7 degree. Rings are lists of signed edge numbers: e runs from its first end to its second,
 * -e back. Edge 0 does not exist.
 */
export type Mesh = {
  x: number[];
  y: number[];
  from: number[];
  to: number[];
  /** The halves of a cut edge, in its direction; 0 for an edge that is whole. */
  firstHalf: number[];
  secondHalf: number[];
  /** Metres in one unit of x and of y here. */
  scaleX: number;
  scaleY: number;
};

export type EdgeRing = number[];

/** Metres in 1e-7 degree of latitude: a 360 * 10^7th of a meridian of the WGS84 ellipsoid's equator, as for longitude. */
export const UNIT_M = 0.01113195;

export function newMesh(scaleX: number, scaleY: number): Mesh {
  return { x: [], y: [], from: [0], to: [0], firstHalf: [0], secondHalf: [0], scaleX, scaleY };
}

export function addVertex(mesh: Mesh, x: number, y: number): number {
  mesh.x.push(x);
  mesh.y.push(y);
  return mesh.x.length - 1;
}

export function addEdge(mesh: Mesh, from: number, to: number): number {
  mesh.from.push(from);
  mesh.to.push(to);
  mesh.firstHalf.push(0);
  mesh.secondHalf.push(0);
  return mesh.from.length - 1;
}

/** The vertex at which a signed edge begins. */
export function start(mesh: Mesh, edge: number): number {
  return edge > 0 ? mesh.from[edge]! : mesh.to[-edge]!;
}

/** The ring of edges through a closed list of vertices. */
export function ringThrough(mesh: Mesh, vertices: number[]): EdgeRing {
  return vertices.map((vertex, i) => addEdge(mesh, vertex, vertices[(i + 1) % vertices.length]!));
}

/** The same ring in whole edges: each cut one replaced by its halves. */
export function wholeEdges(mesh: Mesh, ring: EdgeRing): EdgeRing {
  const whole: EdgeRing = [];
  for (const edge of ring) pushWhole(mesh, edge, whole);
  return whole;
}

function pushWhole(mesh: Mesh, edge: number, whole: EdgeRing): void {
  const number = edge > 0 ? edge : -edge;
  const first = mesh.firstHalf[number]!;
  if (first === 0) {
    whole.push(edge);
    return;
  }
  const second = mesh.secondHalf[number]!;
  pushWhole(mesh, edge > 0 ? first : -second, whole);
  pushWhole(mesh, edge > 0 ? second : -first, whole);
}

/** Cuts an edge at a new vertex. */
export function cutEdge(mesh: Mesh, edge: number, vertex: number): void {
  const number = Math.abs(edge);
  mesh.firstHalf[number] = addEdge(mesh, mesh.from[number]!, vertex);
  mesh.secondHalf[number] = addEdge(mesh, vertex, mesh.to[number]!);
}

/** Twice the signed area of the triangle of three vertices, in square units; exact below 9,000 km2. */
export function orient(mesh: Mesh, a: number, b: number, c: number): number {
  const { x, y } = mesh;
  return (x[b]! - x[a]!) * (y[c]! - y[a]!) - (y[b]! - y[a]!) * (x[c]! - x[a]!);
}

/** Size and shape of a ring of whole edges, in metres from its first vertex. */
export type Shape = {
  areaSqM: number;
  centreX: number;
  centreY: number;
  /** Unit vector of the longer axis of inertia, and how much longer it is than the other (1 for a square). */
  axisX: number;
  axisY: number;
  elongation: number;
};

/** Area, centroid and principal axis by Green's theorem (Steger 1996, on the calculation of moments of polygons). */
export function shapeOf(mesh: Mesh, ring: EdgeRing): Shape {
  const { x, y, scaleX, scaleY } = mesh;
  const origin = start(mesh, ring[0]!);
  const x0 = x[origin]!;
  const y0 = y[origin]!;
  let area = 0;
  let sumX = 0;
  let sumY = 0;
  let sumXX = 0;
  let sumYY = 0;
  let sumXY = 0;
  let px = 0;
  let py = 0;
  for (let i = 1; i <= ring.length; i++) {
    const vertex = start(mesh, ring[i % ring.length]!);
    const qx = (x[vertex]! - x0) * scaleX;
    const qy = (y[vertex]! - y0) * scaleY;
    const cross = px * qy - qx * py;
    area += cross;
    sumX += cross * (px + qx);
    sumY += cross * (py + qy);
    sumXX += cross * (px * px + px * qx + qx * qx);
    sumYY += cross * (py * py + py * qy + qy * qy);
    sumXY += cross * (px * qy + 2 * px * py + 2 * qx * qy + qx * py);
    px = qx;
    py = qy;
  }
  const areaSqM = area / 2;
  const centreX = sumX / (3 * area);
  const centreY = sumY / (3 * area);
  const varX = sumXX / (6 * area) - centreX * centreX;
  const varY = sumYY / (6 * area) - centreY * centreY;
  const cov = sumXY / (12 * area) - centreX * centreY;
  const angle = Math.atan2(2 * cov, varX - varY) / 2;
  const mean = (varX + varY) / 2;
  const spread = Math.hypot((varX - varY) / 2, cov);
  const elongation = Math.sqrt((mean + spread) / Math.max(mean - spread, 1e-9));
  return { areaSqM, centreX, centreY, axisX: Math.cos(angle), axisY: Math.sin(angle), elongation };
}
