import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { PlatError } from '../../../shared/errors.ts';
import { writeText } from './chunks.ts';
import { cutBetween, type Piece, STRAIGHT } from './cut.ts';
import type { FlatRing } from './fabric.ts';
import { addVertex, type EdgeRing, type Mesh, newMesh, ringThrough, shapeOf, start, UNIT_M } from './mesh.ts';
import { FIRST_NAMES, LAST_NAMES } from './names.ts';
import { between, createRandom, pick, type Random, seedOf } from './random.ts';
import { geometryText, KEY_COLUMN, keyOf, ROLL_COLUMNS } from './roll.ts';

export type MutateOptions = {
  seed: number;
  /** Shares of the parcels read, 0 to 1: sold or valued anew; gone from the roll; new on the roll. */
  changedShare: number;
  removedShare: number;
  addedShare: number;
  /** How many times the roll has been carried forward, this time included. Default 1; it numbers the new parcels. */
  generation?: number;
};

/** What the next roll holds against the one before, parcel by parcel. */
export type MutateCounts = {
  read: number;
  unchanged: number;
  changed: number;
  removed: number;
  added: number;
};

type Properties = Record<string, string | number>;
type Feature = {
  type: 'Feature';
  properties: Properties;
  geometry: { type: 'Polygon' | 'MultiPolygon'; coordinates: number[][][] | number[][][][] };
};

/**
 * Writes the roll of the next year. Every new parcel is cut from one that was there, which keeps its key and is smaller
 * then: it counts as changed, so at least as many change as are added. Lines of parcels that stay are copied as they are.
 * @param file a roll that `writeRoll` or this function wrote as ndgeojson.
 */
export async function mutateRoll(file: string, to: string, options: MutateOptions): Promise<MutateCounts> {
  const counts: MutateCounts = { read: 0, unchanged: 0, changed: 0, removed: 0, added: 0 };
  await writeText(to, nextYear(file, options, counts));
  return counts;
}

async function* nextYear(file: string, options: MutateOptions, counts: MutateCounts): AsyncGenerator<string> {
  const { seed, changedShare, removedShare, addedShare, generation = 1 } = options;
  const random = createRandom(seedOf(seed, 30, generation));
  /** Cuts still owed: not every parcel can be cut. */
  let owed = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line === '') continue;
    counts.read++;
    owed += addedShare;
    const draw = random();
    if (draw < removedShare) {
      counts.removed++;
      continue;
    }
    const pair = owed >= 1 ? cutInTwo(parse(line, counts.read), generation) : undefined;
    if (pair !== undefined) {
      owed--;
      counts.changed++;
      counts.added++;
      yield `${pair[0]}\n${pair[1]}\n`;
    } else if (draw < removedShare + changedShare - addedShare) {
      counts.changed++;
      const feature = parse(line, counts.read);
      if (random() < 0.6) sell(feature.properties, random);
      else revalue(feature.properties, random);
      yield `${JSON.stringify(feature)}\n`;
    } else {
      counts.unchanged++;
      yield `${line}\n`;
    }
  }
}

function parse(line: string, row: number): Feature {
  try {
    const feature = JSON.parse(line) as Feature;
    if (feature.type === 'Feature' && KEY_COLUMN in feature.properties) return feature;
  } catch {
    // Said below.
  }
  throw new PlatError(
    'generate',
    `Line ${row} is no feature of a generated roll. Give an ndgeojson file of writeRoll.`,
  );
}

function sell(properties: Properties, random: Random): void {
  const last = pick(random, LAST_NAMES);
  const year = Number(String(properties[ROLL_COLUMNS.last_sale_date] ?? '2024').slice(0, 4));
  properties[ROLL_COLUMNS.seller_name] = properties[ROLL_COLUMNS.owner_name] ?? '';
  properties[ROLL_COLUMNS.owner_name] =
    `${last}, ${pick(random, FIRST_NAMES)} & ${pick(random, FIRST_NAMES)}`;
  delete properties[ROLL_COLUMNS.owner_name_2];
  const month = String(between(random, 1, 12)).padStart(2, '0');
  properties[ROLL_COLUMNS.last_sale_date] = `${Math.max(2025, year + 1)}-${month}-${between(random, 10, 28)}`;
  properties[ROLL_COLUMNS.last_sale_price] = between(random, 20, 900) * 500;
  properties[ROLL_COLUMNS.sale_price_code] = 'Q';
}

function revalue(properties: Properties, random: Random): void {
  const factor = 1.03 + 0.1 * random();
  const land = Math.round(Number(properties[ROLL_COLUMNS.market_land_value]) * factor) + 1;
  const improvement = Math.round(Number(properties[ROLL_COLUMNS.market_improvement_value]) * factor);
  setValues(properties, land, improvement);
}

function setValues(properties: Properties, land: number, improvement: number): void {
  properties[ROLL_COLUMNS.market_land_value] = land;
  properties[ROLL_COLUMNS.market_improvement_value] = improvement;
  properties[ROLL_COLUMNS.market_total_value] = land + improvement;
  properties[ROLL_COLUMNS.assessed_total_value] = Math.round(0.9 * (land + improvement));
  properties[ROLL_COLUMNS.assessed_land_value] = Math.round(0.9 * land);
  properties[ROLL_COLUMNS.assessed_improvement_value] =
    Math.round(0.9 * (land + improvement)) - Math.round(0.9 * land);
}

/** The parcel without what was cut off, and what was cut off as a vacant parcel of its own; undefined if it cannot be cut. */
function cutInTwo({ properties, geometry }: Feature, generation: number): [string, string] | undefined {
  const number = String(properties[ROLL_COLUMNS.apn]);
  if (geometry.type !== 'Polygon' || geometry.coordinates.length > 1 || !number.endsWith('-000'))
    return undefined;
  const ring = (geometry.coordinates as number[][][])[0]!;
  const { mesh, edges } = meshOf(ring);
  const pieces = cutThroughCorners(mesh, edges);
  if (pieces === undefined) return undefined;

  const share = pieces[1].shape.areaSqM / (pieces[0].shape.areaSqM + pieces[1].shape.areaSqM);
  const land = Number(properties[ROLL_COLUMNS.market_land_value]);
  const improvement = Number(properties[ROLL_COLUMNS.market_improvement_value]);
  const acres = Number(properties[ROLL_COLUMNS.acres]);
  const apn = number.replace(/000$/, String(generation).padStart(3, '0'));
  const child: Properties = { ...properties, [KEY_COLUMN]: keyOf(apn), [ROLL_COLUMNS.apn]: apn };
  setValues(child, Math.round(land * share), 0);
  setValues(properties, land - Math.round(land * share), improvement);
  child[ROLL_COLUMNS.acres] = Number((acres * share).toFixed(3));
  properties[ROLL_COLUMNS.acres] = Number((acres * (1 - share)).toFixed(3));
  for (const field of ['building_sqft', 'year_built', 'mortgage_amount', 'mortgage_date'] as const) {
    delete child[ROLL_COLUMNS[field]];
  }
  Object.assign(child, {
    [ROLL_COLUMNS.structure_count]: 0,
    [ROLL_COLUMNS.owner_occupied]: 'N',
    [ROLL_COLUMNS.vacant]: 'Y',
  });
  return [featureText(properties, mesh, pieces[0]), featureText(child, mesh, pieces[1])];
}

function featureText(properties: Properties, mesh: Mesh, { ring }: Piece): string {
  const flat: FlatRing = ring.flatMap(edge => [mesh.x[start(mesh, edge)]!, mesh.y[start(mesh, edge)]!]);
  return `{"type":"Feature","properties":${JSON.stringify(properties)},"geometry":${geometryText([[flat]])}}`;
}

function meshOf(ring: number[][]): { mesh: Mesh; edges: EdgeRing } {
  const mesh = newMesh(UNIT_M * Math.cos((ring[0]![1]! * Math.PI) / 180), UNIT_M);
  const vertices = ring
    .slice(1)
    .map(([lon, lat]) => addVertex(mesh, Math.round(lon! * 1e7), Math.round(lat! * 1e7)));
  return { mesh, edges: ringThrough(mesh, vertices) };
}

/**
 * Cuts from corner to corner, as evenly as any such cut of the first few tried: no neighbour's boundary gets a new
 * vertex then, and the fabric stays without gap or overlap.
 */
function cutThroughCorners(mesh: Mesh, edges: EdgeRing): [Piece, Piece] | undefined {
  const n = edges.length;
  const wholeSqM = shapeOf(mesh, edges).areaSqM;
  let best: [Piece, Piece] | undefined;
  for (let i = 0; i < n >> 1; i++) {
    const pieces = cutBetween(mesh, edges, { at: i, share: 0 }, { at: i + (n >> 1), share: 0 }, STRAIGHT);
    if (pieces === undefined) continue;
    const unevenness = (p: [Piece, Piece]) => Math.abs(p[0].shape.areaSqM / wholeSqM - 0.5);
    if (best === undefined || unevenness(pieces) < unevenness(best)) best = pieces;
  }
  return best;
}
