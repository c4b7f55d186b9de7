import type { Position } from 'geojson';
import { makeDbf, shpOf } from '../unit/formats/make.ts';

/**
 * A shapefile record of type 3 (lines) or 5 (areas). ESRI Shapefile Technical Description, July 1998, tables
 * 6 and 8.
 */
function record(type: 3 | 5, parts: Position[][]): Buffer {
  const points = parts.flat();
  const content = Buffer.alloc(44 + 4 * parts.length + 16 * points.length);
  content.writeInt32LE(type, 0);
  const [xs, ys] = [points.map(([x]) => x!), points.map(([, y]) => y!)];
  for (const [i, side] of [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].entries())
    content.writeDoubleLE(side, 4 + 8 * i);
  content.writeInt32LE(parts.length, 36);
  content.writeInt32LE(points.length, 40);
  let [at, start] = [44, 0];
  for (const part of parts) {
    at = content.writeInt32LE(start, at);
    start += part.length;
  }
  for (const [x, y] of points) at = content.writeDoubleLE(y!, content.writeDoubleLE(x!, at));
  return content;
}

const WGS84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]';

/** The members of a zip with one shapefile. */
export function shapefile(
  stem: string,
  type: 3 | 5,
  shapes: Position[][][],
  columns: Record<string, string[]>,
) {
  const names = Object.keys(columns);
  const table = makeDbf(
    names.map(name => ({ name, type: 'C', length: 60 })),
    shapes.map((_, i) => ({ cells: names.map(name => columns[name]![i]!.slice(0, 60).padEnd(60)) })),
  );
  return {
    [`${stem}.shp`]: shpOf(
      type,
      shapes.map(parts => record(type, parts)),
    ),
    [`${stem}.dbf`]: table,
    [`${stem}.prj`]: WGS84,
  };
}
