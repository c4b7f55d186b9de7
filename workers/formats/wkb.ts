import type { Geometry } from 'geojson';
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { unreadableGeometry } from '../../shared/geo/geometry-checks.ts';
import { addRow, type Output } from './row-batch.ts';

/** ISO 19125 numbers of the types that have no counterpart in GeoJSON. Z adds 1,000, and M adds 2,000. */
const UNSUPPORTED_TYPES: Record<number, string> = {
  8: 'a circular string',
  9: 'a compound curve',
  10: 'a curve polygon',
  11: 'a multi-curve',
  12: 'a multi-surface',
  13: 'a curve',
  14: 'a surface',
  15: 'a polyhedral surface',
  16: 'a TIN',
  17: 'a triangle',
};

/** Adds the next row with its geometry as well-known binary. */
export function addWkbRow(
  output: Output,
  values: Record<string, unknown>,
  wkb: Uint8Array | null,
  maxBytes: number,
): void {
  addRow(output, values, wkb && geometryOf(wkb, maxBytes));
}

function geometryOf(wkb: Uint8Array, maxBytes: number): Geometry {
  if (wkb.length > maxBytes) return unreadableGeometry(`it is longer than ${maxBytes} bytes`);
  try {
    return readWkb(wkb);
  } catch (error) {
    return unreadableGeometry((error as Error).message);
  }
}

/** Throws an Error that says what is wrong. */
export function readWkb(wkb: Uint8Array): Geometry {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
  if (view.byteLength < 5) throw new Error('the geometry is not WKB');
  const type = view.getUint32(1, view.getUint8(0) === 1);
  const what = UNSUPPORTED_TYPES[type % 1000];
  if (what !== undefined) {
    throw new Error(
      `Plat can't read ${what}. Convert curves to lines first, for example with ogr2ogr -nlt CONVERT_TO_LINEAR`,
    );
  }
  try {
    return wkbToGeojson({ view, offset: 0 }) as Geometry;
  } catch (cause) {
    throw new Error(`Plat can't read the geometry as WKB (${(cause as Error).message})`, { cause });
  }
}
