import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { decodeBoundary, encodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { prepareBoundary } from '../../shared/geo/prepare-geometry.ts';
import type { Format } from '../../workers/formats/file-formats.ts';
import { readInput } from '../../workers/formats/read-format.ts';

const DATA = fileURLToPath(new URL('../../workers/sample/data/bangor_me', import.meta.url));

const FILES: Record<'parcels' | 'wetlands' | 'flood', { source: string; format: Format }> = {
  parcels: { source: 'parcels.zip', format: 'shapefile' },
  wetlands: { source: 'wetlands.geojson.gz', format: 'geojson' },
  flood: { source: 'flood_zones.geojson.gz', format: 'geojson' },
};

/**
 * Polygons of Bangor's parcels, wetlands, or special flood hazard areas, as stored (repaired, rounded to 1e-7
 * degrees), by row number in the file.
 */
export async function bangorShapes(what: keyof typeof FILES): Promise<Map<number, MultiPolygon>> {
  const shapes = new Map<number, MultiPolygon>();
  const context = { baseDir: DATA, tmpDir: tmpdir(), signal: new AbortController().signal, env: {} };
  for await (const { rows } of readInput(FILES[what], context)) {
    for (const { rowNo, values, geometry } of rows) {
      if (what === 'flood' && values.SFHA !== 'IN') continue;
      const prepared = prepareBoundary(geometry);
      if (prepared.ok) shapes.set(rowNo, decodeBoundary(encodeBoundary(prepared.polygons)));
    }
  }
  return shapes;
}
