import { readFileSync } from 'node:fs';
import { serialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { FeatureCollection } from 'geojson';
import type { InputSpec } from '../../workers/formats/format-input.ts';
import { type MapUnit, ring, surveyZip } from '../support/soil-survey.ts';
import { unzipped } from '../support/unzip.ts';

const fixtures = new URL('../fixtures/feeds/formats/', import.meta.url);
const fixture = (name: string) => readFileSync(new URL(name, fixtures));

/** A small, real file in one format. */
export type Seed = { name: string; bytes: Buffer; spec?: Partial<InputSpec> };

function soilSurvey(): Buffer {
  const units: MapUnit[] = Array.from({ length: 40 }, (_, i) => ({
    mukey: String(565_058 + i),
    septic: ['Not limited', 'Somewhat limited', 'Very limited'][i % 3]!,
    hydric: (i * 7) % 101,
    waterCm: 5 * i,
  }));
  const polygons = units.map(({ mukey }, i) => ({ mukey, ring: ring(-91.5 + 0.02 * i, 33.2) }));
  return surveyZip('AR003', units, polygons);
}

/** One file in each format that Plat reads from files. */
export function seedFiles(): Record<Exclude<InputSpec['format'], 'reso' | 'arcgis'>, Seed> {
  const geojson = fixture('washington-parcels.geojson');
  const collection = JSON.parse(geojson.toString()) as FeatureCollection;
  const rows = collection.features.map(({ properties }) => properties ?? {});
  const names = Object.keys(rows[0]!);
  const lines = (of: readonly unknown[]) => Buffer.from(of.map(each => `${JSON.stringify(each)}\n`).join(''));
  const cells = rows.map(row => names.map(name => JSON.stringify(String(row[name] ?? ''))));
  const layout = names.map(name => ({ name, width: 20 }));
  const fixed = cells.map(row => row.map(cell => cell.slice(0, 20).padEnd(20)).join(''));
  return {
    csv: { name: 'a.csv', bytes: Buffer.from([names, ...cells].map(row => row.join(',')).join('\n')) },
    fixed_width: { name: 'a.txt', bytes: Buffer.from(`${fixed.join('\n')}\n`), spec: { layout } },
    geojson: { name: 'a.geojson', bytes: geojson },
    ndgeojson: { name: 'a.ndgeojson', bytes: lines(collection.features) },
    ndjson: { name: 'a.ndjson', bytes: lines(rows) },
    ssurgo: { name: 'a.zip', bytes: soilSurvey() },
    dbf: { name: 'a.dbf', bytes: fixture('washington-assessor.dbf') },
    shapefile: { name: 'a.zip', bytes: fixture('bangor-parcels.zip') },
    flatgeobuf: { name: 'a.fgb', bytes: Buffer.from(serialize(collection)) },
    geopackage: { name: 'a.gpkg', bytes: unzipped(fixture('washington.gpkg.zip'), 'washington.gpkg') },
    parquet: { name: 'a.parquet', bytes: fixture('washington-parcels.parquet') },
    xlsx: { name: 'a.xlsx', bytes: fixture('washington-roll.xlsx') },
    access: {
      name: 'a.mdb',
      bytes: unzipped(fixture('access.zip'), 'access-97.mdb'),
      spec: { layer: 'Table1' },
    },
    filegdb: { name: 'a.gdb.zip', bytes: fixture('washington.gdb.zip') },
  };
}

/**
 * Random numbers from 0 up to 1, always the same for a given seed. Mulberry32, by Tommy Ettinger, public
 * domain.
 */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Damages a file with one to eight faults. Some are like those that disks and networks cause. Others are
 * numbers that no writer would store.
 */
export function mutated(original: Buffer, seed: number): Buffer {
  const random = randomNumbers(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  let bytes: Buffer = Buffer.from(original);
  for (let faults = 1 + upTo(8); faults > 0; faults--) {
    // Headers, footers and indexes are at the ends of a file.
    const span = Math.min(bytes.length, 400);
    const at = [upTo(bytes.length), upTo(span), bytes.length - 1 - upTo(span)][upTo(3)]!;
    const length = Math.min(1 + upTo(64), bytes.length - at);
    const kind = upTo(7);
    if (kind === 0) bytes[at] = upTo(256);
    else if (kind === 1) bytes[at] = bytes[at]! ^ (1 << upTo(8));
    else if (kind === 2) bytes.fill(0, at, at + length);
    else if (kind === 3) bytes.fill(0xff, at, at + Math.min(length, 8));
    else if (kind === 4) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    else if (kind === 5) bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    else if (random() < 0.3) bytes = Buffer.from(bytes.subarray(0, Math.max(16, at)));
  }
  return bytes;
}
