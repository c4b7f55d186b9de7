import fc from 'fast-check';
import type { Geometry, Position } from 'geojson';
import { type Feature, ORIGIN } from './ingest.ts';

/**
 * A simple reference model of how a file of roads becomes a layer. Each generated row contains both the text
 * in the file and the value it represents, so that the model needs none of the program's parsing.
 */
type Cell = { raw: unknown; class: 'highway' | 'normal' | 'local' | 'none' | null };

const CODES: Cell[] = [
  { raw: 'S1100', class: 'highway' },
  { raw: ' s1200 ', class: 'normal' },
  { raw: 'S1400', class: 'local' },
  { raw: 'S1820', class: 'none' },
  { raw: 'constructor', class: 'none' },
  { raw: '', class: null },
  { raw: null, class: null },
];

/** A line's geometry, the lines stored for it, and the reason if none are stored. */
type Shape = { geometry: Geometry | null; lines: Position[][]; bad?: string; repaired?: string };

const at = (x: number, y: number): Position => [
  Math.round((ORIGIN[0] + x / 1000) * 1e7) / 1e7,
  Math.round((ORIGIN[1] + y / 1000) * 1e7) / 1e7,
];
const line = (...points: Position[]): Geometry => ({ type: 'LineString', coordinates: points });
const [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(2, 5)] as [Position, Position, Position, Position];

const SHAPES: Shape[] = [
  { geometry: line(a, b), lines: [[a, b]] },
  { geometry: line(b, a), lines: [[b, a]] },
  { geometry: line(a, b, c), lines: [[a, b, c]] },
  { geometry: line([...a, 30], [...b, 31]), lines: [[a, b]], repaired: 'z_dropped' },
  { geometry: line(a, a, b), lines: [[a, b]], repaired: 'duplicate_points_dropped' },
  {
    geometry: {
      type: 'MultiLineString',
      coordinates: [
        [a, b],
        [c, d],
      ],
    },
    lines: [
      [a, b],
      [c, d],
    ],
  },
  {
    geometry: { type: 'MultiLineString', coordinates: [[a, b], [d]] },
    lines: [[a, b]],
    repaired: 'zero_length_dropped',
  },
  {
    geometry: { type: 'GeometryCollection', geometries: [line(a, b), line(c, d)] },
    lines: [
      [a, b],
      [c, d],
    ],
  },
  { geometry: null, lines: [], bad: 'geometry_missing' },
  { geometry: line(), lines: [], bad: 'geometry_no_geometry' },
  { geometry: line(a, a), lines: [], bad: 'geometry_no_length' },
  { geometry: { type: 'Point', coordinates: a }, lines: [], bad: 'geometry_not_a_line' },
  { geometry: { type: 'Polygon', coordinates: [[a, b, c, a]] }, lines: [], bad: 'geometry_not_a_line' },
  { geometry: line(a, [a[0]! + 300, 43]), lines: [], bad: 'geometry_out_of_range' },
  { geometry: line(a, [a[0]!] as Position), lines: [], bad: 'geometry_malformed' },
  { geometry: line(a, ['x', 43] as unknown as Position), lines: [], bad: 'geometry_not_finite' },
];

export type RoadRow = { code: Cell; skip: boolean; shape: Shape };

export const roadRows = (maxLength: number): fc.Arbitrary<RoadRow[]> =>
  fc.array(
    fc.record({
      code: fc.constantFrom(...CODES),
      skip: fc.oneof(
        { weight: 9, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
      shape: fc.constantFrom(...SHAPES),
    }),
    { minLength: 1, maxLength },
  );

export const roadFeatureOf = ({ code, skip, shape }: RoadRow): Feature => ({
  properties: { MTFCC: code.raw, SKIP: skip ? 'x' : null },
  geometry: shape.geometry,
});

export type LayerReading = {
  skipped: number;
  notCounting: number;
  identical: number;
  /** "row reason" for each rejected row. */
  rejects: string[];
  repaired: Record<string, number>;
  /** Class and lines of each stored feature, as JSON. */
  stored: Set<string>;
};

export function readRoads(rows: readonly RoadRow[]): LayerReading {
  const reading: LayerReading = {
    skipped: 0,
    notCounting: 0,
    identical: 0,
    rejects: [],
    repaired: {},
    stored: new Set(),
  };
  for (const [i, { code, skip, shape }] of rows.entries()) {
    if (skip) reading.skipped++;
    else if (code.class === null) reading.rejects.push(`${i + 1} missing_class`);
    else if (code.class === 'none') reading.notCounting++;
    else if (shape.bad) reading.rejects.push(`${i + 1} ${shape.bad}`);
    else {
      const { repaired } = shape;
      if (repaired) reading.repaired[repaired] = (reading.repaired[repaired] ?? 0) + 1;
      const feature = JSON.stringify([code.class, shape.lines]);
      if (reading.stored.has(feature)) reading.identical++;
      reading.stored.add(feature);
    }
  }
  reading.rejects.sort();
  return reading;
}
