import type { Box } from '../../../shared/geo/geometry-types.ts';
import { PlatError } from '../../../shared/platform/errors.ts';

/** Rounding for bounds that should be on a full degree, about 10 cm. */
const SLACK_DEG = 1e-6;

/** More tiles than North America has, including the sea. Bounds like these are a mistake. */
const MAX_TILES = 4000;

/**
 * The paths or addresses of the 1-degree tiles that bounds touch, named as USGS 3DEP names them: by their
 * north-west corner, so that n45w069 spans latitudes 44 to 45 and longitudes -69 to -68
 * (https://www.usgs.gov/3d-elevation-program). From north to south, then from west to east.
 * @param template with `{tile}` in place of the name
 * @throws PlatError `feed_definition` without `{tile}`, or when the bounds aren't a box in degrees or
 * span too many tiles
 */
export function tilesOfBounds(template: string, [west, south, east, north]: Box): string[] {
  if (!template.includes('{tile}')) {
    throw definitionError(`elevation.template "${template}" needs {tile} in place of the tile's name.`);
  }
  if (!(west < east && south < north && west >= -180 && east <= 180 && south >= -90 && north <= 90)) {
    throw definitionError(
      `elevation.bounds [${[west, south, east, north].join(', ')}] is not a box [west, south, east, north] in degrees.`,
    );
  }
  const firstNorth = Math.ceil(north - SLACK_DEG);
  const lastNorth = Math.floor(south + SLACK_DEG) + 1;
  const firstWest = Math.floor(west + SLACK_DEG);
  const lastWest = Math.ceil(east - SLACK_DEG) - 1;
  const count = (firstNorth - lastNorth + 1) * (lastWest - firstWest + 1);
  if (count > MAX_TILES) {
    throw definitionError(`elevation.bounds covers ${count} tiles, more than ${MAX_TILES}. Make it smaller.`);
  }
  const sources: string[] = [];
  for (let latitude = firstNorth; latitude >= lastNorth; latitude--) {
    for (let longitude = firstWest; longitude <= lastWest; longitude++) {
      sources.push(template.replaceAll('{tile}', tileName(latitude, longitude)));
    }
  }
  return sources;
}

function tileName(north: number, west: number): string {
  const latitude = `${north < 0 ? 's' : 'n'}${String(Math.abs(north)).padStart(2, '0')}`;
  return `${latitude}${west < 0 ? 'w' : 'e'}${String(Math.abs(west)).padStart(3, '0')}`;
}

const definitionError = (message: string): PlatError => new PlatError('feed_definition', message);
