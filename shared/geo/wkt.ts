import type { Position, Ring } from './geometry-types.ts';
import {
  addPolygon,
  type Builder,
  endRing,
  type ParsedQuery,
  parseGeometry,
  type QueryLimits,
  throwQueryFault,
  validatePosition,
} from './query-geometry.ts';

/**
 * Reads Well-Known Text (OGC 06-103r4, clause 7), with an optional `SRID=4326;`. Z and M are dropped. This is
 * our own code, because messages name the character, ring, and vertex, which wellknown, betterknown,
 * @terraformer/wkt, and wkx can't do.
 */
export function parseWkt(text: string, limits: QueryLimits): ParsedQuery {
  return parseGeometry(limits, builder => {
    const reader: Reader = { text, at: 0, builder };
    readSrid(reader);
    readGeometry(reader, 0);
    skipSpace(reader);
    if (reader.at < text.length) fail(reader, 'the end of the geometry');
  });
}

type Reader = { text: string; at: number; builder: Builder };

/** Ordinates per position; null until the first position is read. */
type Dimension = { ordinates: number | null };

const BLANK = 0x20;
const COMMA = 0x2c;
const CLOSE = 0x29;
const WORD = /[a-z]+/iy;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const SRID = /\s*SRID\s*=\s*(\d+)\s*;/iy;
const ORDINATES: Record<string, number> = { Z: 3, M: 3, ZM: 4 };

const READERS: Record<string, (reader: Reader, dimension: Dimension, depth: number) => void> = {
  POINT: readPoint,
  LINESTRING: readLine,
  POLYGON: readPolygon,
  MULTIPOINT: (reader, dimension) =>
    list(reader, () =>
      lookingAt(reader, '(') ? readPoint(reader, dimension) : readBarePoint(reader, dimension),
    ),
  MULTILINESTRING: (reader, dimension) => list(reader, () => readLine(reader, dimension)),
  MULTIPOLYGON: (reader, dimension) => list(reader, () => readPolygon(reader, dimension)),
  GEOMETRYCOLLECTION: (reader, _dimension, depth) => list(reader, () => readGeometry(reader, depth + 1)),
};

function readSrid(reader: Reader): void {
  const srid = match(reader, SRID);
  if (srid !== null && Number(srid[1]) !== 4326) {
    throwQueryFault('syntax', `SRID=${srid[1]} is not supported: use longitude and latitude, SRID=4326`);
  }
}

function readGeometry(reader: Reader, depth: number): void {
  const { maxDepth } = reader.builder.limits;
  if (depth > maxDepth) throwQueryFault('too_complex', `collections are nested more than ${maxDepth} deep`);
  skipSpace(reader);
  const start = reader.at;
  const word = readWord(reader);
  const joined = /^(.*?)(ZM|Z|M)$/.exec(word);
  const type = joined !== null && READERS[word] === undefined ? joined[1]! : word;
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read === undefined) {
    reader.at = start;
    fail(reader, `a geometry type (${Object.keys(READERS).join(', ')})`);
  }
  let tag = type === word ? undefined : joined![2];
  if (tag === undefined) {
    skipSpace(reader);
    const before = reader.at;
    const next = readWord(reader);
    if (Object.hasOwn(ORDINATES, next)) tag = next;
    else reader.at = before;
  }
  read(reader, { ordinates: tag === undefined ? null : ORDINATES[tag]! }, depth);
}

function readPoint(reader: Reader, dimension: Dimension): void {
  if (isEmpty(reader)) return;
  expect(reader, '(');
  readBarePoint(reader, dimension);
  expect(reader, ')');
}

function readBarePoint(reader: Reader, dimension: Dimension): void {
  if (isEmpty(reader)) return;
  const { points } = reader.builder.geometry;
  points.push(readPosition(reader, dimension, () => `point ${points.length + 1}`));
}

function readLine(reader: Reader, dimension: Dimension): void {
  const { lines } = reader.builder.geometry;
  skipSpace(reader);
  const start = reader.at;
  const line = readPositions(reader, dimension, `line ${lines.length + 1}`);
  if (line.length === 0) return;
  if (line.length === 1) {
    throwQueryFault(
      'syntax',
      `line ${lines.length + 1} (at character ${start + 1}) has 1 position; a line needs at least 2`,
    );
  }
  lines.push(line);
}

function readPolygon(reader: Reader, dimension: Dimension): void {
  const { builder } = reader;
  const rings: Ring[] = [];
  const places: string[] = [];
  list(reader, () => {
    skipSpace(reader);
    const name = `polygon ${builder.geometry.polygons.length + 1}, ring ${rings.length + 1}`;
    const place = `${name} (at character ${reader.at + 1})`;
    if (isEmpty(reader)) throwQueryFault('ring', `${place} is empty`);
    const ring = readPositions(reader, dimension, name);
    endRing(builder, ring, place);
    rings.push(ring);
    places.push(place);
  });
  if (rings.length > 0) addPolygon(builder, rings, places);
}

function readPositions(reader: Reader, dimension: Dimension, name: string): Position[] {
  const positions: Position[] = [];
  const place = () => `${name}, vertex ${positions.length + 1}`;
  list(reader, () => positions.push(readPosition(reader, dimension, place)));
  return positions;
}

function readPosition(reader: Reader, dimension: Dimension, place: () => string): Position {
  skipSpace(reader);
  const start = reader.at;
  const where = () => `${place()} (at character ${start + 1})`;
  const lon = readNumber(reader);
  const lat = readNumber(reader);
  let ordinates = 2;
  while (
    ordinates < 4 &&
    !lookingAt(reader, ',') &&
    !lookingAt(reader, ')') &&
    reader.at < reader.text.length
  ) {
    readNumber(reader);
    ordinates++;
  }
  dimension.ordinates ??= ordinates;
  if (ordinates !== dimension.ordinates) {
    throwQueryFault('syntax', `${where()} has ${ordinates} numbers, expected ${dimension.ordinates}`);
  }
  return validatePosition(reader.builder, lon, lat, where);
}

/** Reads `EMPTY` or a parenthesized list of at least one item. */
function list(reader: Reader, readItem: () => void): void {
  if (isEmpty(reader)) return;
  expect(reader, '(');
  readItem();
  while (lookingAt(reader, ',')) {
    reader.at++;
    readItem();
  }
  expect(reader, ')', ', or )');
}

function readNumber(reader: Reader): number {
  skipSpace(reader);
  const number = match(reader, NUMBER);
  if (number === null) fail(reader, 'a number');
  const after = reader.text.charCodeAt(reader.at);
  if (after > BLANK && after !== COMMA && after !== CLOSE) fail(reader, 'a space, a comma, or )');
  return Number(number[0]);
}

const readWord = (reader: Reader): string => match(reader, WORD)?.[0].toUpperCase() ?? '';

function isEmpty(reader: Reader): boolean {
  skipSpace(reader);
  const before = reader.at;
  if (readWord(reader) === 'EMPTY') return true;
  reader.at = before;
  return false;
}

/** Skips whitespace, then compares the next character. */
function lookingAt(reader: Reader, char: string): boolean {
  skipSpace(reader);
  return reader.text[reader.at] === char;
}

function expect(reader: Reader, char: string, due = char): void {
  if (!lookingAt(reader, char)) fail(reader, due);
  reader.at++;
}

/**
 * Any ASCII code up to the space counts as whitespace. A regular expression here took half of the parsing
 * time.
 */
function skipSpace(reader: Reader): void {
  while (reader.text.charCodeAt(reader.at) <= BLANK) reader.at++;
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const matched = pattern.exec(reader.text);
  if (matched !== null) reader.at = pattern.lastIndex;
  return matched;
}

function fail(reader: Reader, expected: string): never {
  const { text, at } = reader;
  const actual = at < text.length ? `"${text.slice(at, at + 20)}"` : 'the end of the text';
  throwQueryFault('syntax', `expected ${expected} at character ${at + 1}, not ${actual}`);
}
