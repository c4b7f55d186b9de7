import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import geographiclib from 'geographiclib-geodesic';
import type { MultiPolygon, Polygon } from 'geojson';
import { rootDir } from '../../shared/platform/root.ts';

/**
 * The sample's town, Washington NH, read from its raw files without any pipeline code, as an independent
 * check of ingestion. Numbers stay decimal text, as in the files.
 */
const FOLDER = join(rootDir, 'workers', 'sample', 'data', 'washington_nh');

export type RawComp = {
  status: 'ACTIVE' | 'PENDING' | 'SOLD';
  zip: string;
  /** In US dollars and acres, as decimal text. */
  price: string;
  acres: string;
  /** 'YYYY-MM-DD' */
  soldOn: string | null;
  /** Days from listing to the last status change, if the files include the listing date. */
  daysOnMarket: number | null;
};

/** Parcel boundaries from the map file: one geometry per feature, in file order, including repeats. */
export type RawMap = Map<string, (Polygon | MultiPolygon)[]>;

/** The rows of a dBASE III table without memo fields: every cell as trimmed text. */
export function readDbase(path: string): Record<string, string>[] {
  const bytes = readFileSync(path);
  const count = bytes.readUInt32LE(4);
  const headerLength = bytes.readUInt16LE(8);
  const recordLength = bytes.readUInt16LE(10);
  const columns: { name: string; length: number }[] = [];
  for (let at = 32; bytes[at] !== 0x0d; at += 32) {
    const name = bytes.toString('latin1', at, at + 11).replace(/\0.*/s, '');
    columns.push({ name, length: bytes[at + 16]! });
  }
  const rows: Record<string, string>[] = [];
  for (let i = 0; i < count; i++) {
    let at = headerLength + i * recordLength;
    if (bytes.toString('latin1', at, ++at) === '*') continue;
    const row: Record<string, string> = {};
    for (const { name, length } of columns) {
      row[name] = bytes.toString('latin1', at, at + length).trim();
      at += length;
    }
    rows.push(row);
  }
  return rows;
}

/** 000010, 000012, 000000 and 10-12-00 are both parcel 10-12. */
function parcelKey(parts: string[]): string {
  return parts
    .filter(part => !/^0*$/.test(part))
    .map(part => part.replace(/^0+/, ''))
    .join('-');
}

export function readRoll(): (Record<string, string> & { key: string })[] {
  return readDbase(join(FOLDER, 'assessor-2025.dbf')).map(row => ({
    ...row,
    key: parcelKey([row.MAP!, row.LOT!, row.SUB!]),
  }));
}

export function readMap(): RawMap {
  const { features } = JSON.parse(readFileSync(join(FOLDER, 'parcels-2025.geojson'), 'utf8'));
  const map: RawMap = new Map();
  for (const { id, geometry } of features) {
    const key = parcelKey(id.split('-'));
    map.set(key, [...(map.get(key) ?? []), geometry]);
  }
  return map;
}

/**
 * Geodesic area in acres from GeographicLib. Parts are added and holes are subtracted. Rings are not
 * repaired, so the figure is meaningless if any cross themselves or each other.
 */
export function geodesicAcres(geometry: Polygon | MultiPolygon): number {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  let squareMeters = 0;
  for (const rings of polygons) {
    for (const [i, ring] of rings.entries()) {
      const sum = geographiclib.Geodesic.WGS84.Polygon(false);
      for (const [lon, lat] of ring.slice(0, -1)) sum.AddPoint(lat!, lon!);
      squareMeters += (i === 0 ? 1 : -1) * Math.abs(sum.Compute(false, true).area!);
    }
  }
  return squareMeters / (43_560 * 0.3048 ** 2);
}

/**
 * All listings for sale, under contract, or sold in Washington, which covers ZIP 03280 and is in county
 * 33019.
 */
export function readComps(): RawComp[] {
  return [...readSales(), ...readListings()];
}

/** Arm's-length sales of vacant land for $1,000 or more, except sales of several parcels for one price. */
function readSales(): RawComp[] {
  const roll = readRoll();
  const map = readMap();
  return roll
    .filter(row => row.SALEIMPR === 'V' && row.SALEQUAL === 'Q')
    .filter(row => Number(row.SALEPRICE) >= 1000 && row.SALEDATE !== '')
    .filter(
      row =>
        !roll.some(
          other =>
            other !== row &&
            other.SALEDATE === row.SALEDATE &&
            Number(other.SALEPRICE) === Number(row.SALEPRICE) &&
            other.SALEGRNT === row.SALEGRNT,
        ),
    )
    .map(row => ({
      status: 'SOLD',
      zip: '03280',
      price: row.SALEPRICE!,
      acres: Number(row.ACRES) > 0 ? row.ACRES! : String(geodesicAcres(map.get(row.key)![0]!)),
      soldOn: row.SALEDATE!.replace(/^(....)(..)(..)$/, '$1-$2-$3'),
      daysOnMarket: null,
    }));
}

/** The generated listings, from a CSV file without quotes. */
function readListings(): RawComp[] {
  const [header, ...lines] = readFileSync(join(FOLDER, 'generated-listings.csv'), 'utf8')
    .trim()
    .split(/\r?\n/);
  const names = header!.split(',');
  return lines.map(line => {
    const cells = line.split(',');
    const cell = (name: string) => cells[names.indexOf(name)]!;
    return {
      status: cell('status') === 'Active' ? 'ACTIVE' : 'PENDING',
      zip: cell('zip'),
      price: cell('list_price'),
      acres: cell('acres'),
      soldOn: null,
      daysOnMarket: (Date.parse(cell('status_changed')) - Date.parse(cell('listed'))) / 86_400_000,
    };
  });
}
