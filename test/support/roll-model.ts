import fc from 'fast-check';
import type { Geometry, Position } from 'geojson';
import { type Feature, lot, lotRings } from './ingest.ts';

/**
 * A simple reference model of how a roll becomes parcels, row by row in memory. Each generated row contains
 * both the text in the file and the value it represents, so that the model needs none of the program's
 * parsing.
 */

/** A raw value, the value it represents, and the reason if it is unusable. */
type Cell = { raw: unknown; value: string | number | null; bad?: string };

const cell = (raw: unknown, value: string | number | null, bad?: string): Cell => ({
  raw,
  value,
  ...(bad ? { bad } : {}),
});

const KEYS = [
  cell('1', '1'),
  cell(' 001 ', '1'),
  cell('a-1', 'A-1'),
  cell('A - 1', 'A-1'),
  cell('2', '2'),
  cell('3', '3'),
  cell('4', '4'),
  cell("5\\x\t'", "5\\X'"),
  cell('0', '0'),
  cell('', null, 'missing_key'),
  cell(null, null, 'missing_key'),
  cell('K'.repeat(300), null, 'key_too_long'),
];
const OWNERS = [
  cell('ADAMS', 'ADAMS'),
  cell('  x\ty\\N\n', 'x y\\N'),
  cell('x\u0000y', 'xy'),
  cell('\\.', '\\.'),
  cell('😀 é', '😀 é'),
  cell('', null),
];
const ACRES = [
  cell('1.5', 1.5),
  cell(2, 2),
  cell(0, null),
  cell('1,234.5', 1234.5),
  cell('-3', null, 'negative'),
  cell('some', null, 'not_a_number'),
  cell('1e999', null, 'out_of_range'),
  cell('10000000000000', null, 'out_of_range'),
];
const PRICES = [
  cell('100000', 100_000),
  cell(null, null),
  cell('1e12', null, 'out_of_range'),
  cell('(5)', null, 'negative'),
];
const DATES = [
  cell('2020-02-29', '2020-02-29'),
  cell('00000000', null),
  cell('2021-02-29', null, 'not_a_date'),
  cell('1066-10-14', null, 'date_out_of_range'),
];

export type Shape = { geometry: Geometry | null; lots: number[]; bad?: string };

const ring = (n: number): Position[] => lotRings(n)[0]!;

/** Separate lots, each always written the same way, some of which need repair. Also unusable shapes. */
const SHAPES: Shape[] = [
  { geometry: null, lots: [] },
  { geometry: lot(0), lots: [0] },
  { geometry: { type: 'Polygon', coordinates: [ring(1).toReversed()] }, lots: [1] },
  { geometry: { type: 'Polygon', coordinates: [ring(2).slice(0, 4)] }, lots: [2] },
  { geometry: { type: 'Polygon', coordinates: [ring(3).map(p => [...p, 77])] }, lots: [3] },
  { geometry: { type: 'MultiPolygon', coordinates: [[ring(4)], [ring(5)]] }, lots: [4, 5] },
  { geometry: { type: 'LineString', coordinates: ring(6) }, lots: [], bad: 'geometry_not_an_area' },
  {
    geometry: { type: 'Polygon', coordinates: [ring(6).map((p, i) => [p[0]! + i / 1000, 43])] },
    lots: [],
    bad: 'geometry_no_area',
  },
  {
    geometry: { type: 'Polygon', coordinates: [ring(6).map((p, i) => (i === 2 ? [p[0]! + 300, p[1]!] : p))] },
    lots: [],
    bad: 'geometry_out_of_range',
  },
];

export type Row = {
  key: Cell;
  owner: Cell;
  acres: Cell;
  price: Cell;
  date: Cell;
  skip: boolean;
  shape: Shape;
};

export const rows = (most: number): fc.Arbitrary<Row[]> =>
  fc.array(
    fc.record({
      key: fc.constantFrom(...KEYS),
      // There are only a few values, so that rows with the same key are often identical.
      owner: fc.oneof({ weight: 3, arbitrary: fc.constant(OWNERS[0]!) }, fc.constantFrom(...OWNERS)),
      acres: fc.oneof({ weight: 4, arbitrary: fc.constant(ACRES[0]!) }, fc.constantFrom(...ACRES)),
      price: fc.oneof({ weight: 5, arbitrary: fc.constant(PRICES[0]!) }, fc.constantFrom(...PRICES)),
      date: fc.oneof({ weight: 5, arbitrary: fc.constant(DATES[0]!) }, fc.constantFrom(...DATES)),
      skip: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
      shape: fc.constantFrom(...SHAPES),
    }),
    { maxLength: most },
  );

export function featureOf(
  { key, owner, acres, price, date, skip, shape }: Row,
  withGeometry: boolean,
): Feature {
  const properties = {
    PIN: key.raw,
    OWNER: owner.raw,
    ACRES: acres.raw,
    PRICE: price.raw,
    SOLD: date.raw,
    SKIP: skip ? 'x' : '',
  };
  return { properties, geometry: withGeometry ? shape.geometry : null };
}

export type Parcel = {
  owner_name: unknown;
  acres: unknown;
  last_sale_price: unknown;
  last_sale_date: unknown;
  lots: number[];
  /**
   * The additional rows in the file that contribute to the parcel: their stated acres, and whether everything
   * else is the same as in the first row.
   */
  parts: { acres: number | null; identical: boolean }[];
  file: string;
};
export type Reading = {
  parcels: Map<string, Parcel>;
  /** Row number, input, and reason for every rejected row, sorted. */
  rejects: string[];
  read: number;
  skipped: number;
  rejected: number;
  identical: number;
  parts: number;
  /** Number of rows that became part of a parcel. */
  used: number;
};

export type Input = { name: 'roll' | 'shape'; rows: Row[]; geometry: boolean };

/** Reads a roll from one file, or from a roll and a geometry file. */
export function read(inputs: Input[]): Reading {
  const reading: Reading = {
    parcels: new Map(),
    rejects: [],
    read: 0,
    skipped: 0,
    rejected: 0,
    identical: 0,
    parts: 0,
    used: 0,
  };
  for (const input of inputs) readInput(input, reading);
  reading.rejects.sort();
  return reading;
}

function readInput({ name, rows: list, geometry }: Input, reading: Reading): void {
  const seen = new Map<string, { text: string; shapes: Set<Shape> }>();
  list.forEach((row, index) => {
    const { key, shape } = row;
    const rejectAs = (reason: string) => reading.rejects.push(`${name} ${index + 1} ${reason}`);
    reading.read++;
    if (row.skip) {
      reading.skipped++;
      return;
    }
    if (key.bad || (name === 'shape' && (shape.bad || shape.lots.length === 0))) {
      rejectAs(key.bad ?? shape.bad ?? 'geometry_missing');
      reading.rejected++;
      return;
    }
    if (geometry && shape.bad) rejectAs(shape.bad);
    for (const value of [row.owner, row.acres, row.price, row.date]) if (value.bad) rejectAs(value.bad);

    const id = String(key.value);
    const values = {
      owner_name: row.owner.value,
      acres: row.acres.value,
      last_sale_price: row.price.value,
      last_sale_date: row.date.value,
    };
    const text = JSON.stringify(values);
    const lots = geometry ? shape.lots : [];
    const before = seen.get(id);
    const parcel = reading.parcels.get(id) ?? { ...values, lots: [], parts: [], file: name };
    reading.parcels.set(id, parcel);
    parcel.lots = [...new Set([...parcel.lots, ...lots])].sort();
    if (!before) {
      seen.set(id, { text, shapes: new Set(lots.length > 0 ? [shape] : []) });
      reading.used++;
      return;
    }
    if (parcel.file === name)
      parcel.parts.push({ acres: row.acres.value as number | null, identical: text === before.text });
    const first = before.shapes.size === 0;
    const repeated = before.shapes.has(shape);
    if (lots.length > 0) before.shapes.add(shape);
    if (name === 'roll' && text !== before.text) {
      rejectAs('duplicate_key');
      reading.rejected++;
    } else if (name === 'shape' ? repeated && text === before.text : lots.length === 0 || repeated || first)
      reading.identical++;
    else reading.parts++;
  });
}
