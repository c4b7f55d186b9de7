import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projjsonNames } from '../../shared/geo/projection.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import {
  formatError,
  type OpenContext,
  sourceError,
  truncatedError,
} from '../../shared/platform/http/download-context.ts';
import { type Command, readChildOutput } from './child-output.ts';
import { readFeatureLines } from './json.ts';
import { chooseLayer, type FileRead } from './row-batch.ts';

/*
 * Esri's file geodatabase, read by GDAL in a child process, either as WebAssembly (gdal3.js, an optional
 * package) or as an installed program. Coordinates are passed through as if they were degrees, because the
 * same code converts all formats to WGS84.
 */

/** Options for both forms of GDAL: curves become lines, elevations are dropped, and all digits are kept. */
const AS_ROWS = [
  '-f',
  'GeoJSONSeq',
  '-a_srs',
  'EPSG:4326',
  '-lco',
  'COORDINATE_PRECISION=9',
  '-dim',
  'XY',
  '-nlt',
  'CONVERT_TO_LINEAR',
];

/** GDAL reports `any` for multipatches. All other feature classes have a single geometry type. */
type Layer = { name: string; count: number; geometry: 'typed' | 'any' | null; crs: string[] | null };

/** A layer as reported by filegdb-child.mjs. */
type Listed = Layer & { type: string | null; crs: Parameters<typeof projjsonNames>[0] | null };

export type Gdal = {
  list(path: string): Command;
  layers(listed: string): Layer[];
  rows(path: string, layer: string): Command;
};

export const readFileGdb = (reading: FileRead): AsyncGenerator<void> =>
  readWith(gdalPackage() ?? INSTALLED_GDAL, reading);

/**
 * @throws PlatError `feed_source` if GDAL is missing or doesn't respond, `feed_format` with GDAL's error for
 * the file
 */
export async function* readWith(gdal: Gdal, given: FileRead): AsyncGenerator<void> {
  const { source, spec, output, context } = given;
  const { name } = source;
  const { path, advance } = await source.onDisk();
  const layers = await layersOf(gdal, path, given);
  const layer = chooseLayer(layers, spec.layer, name);
  const before = output.rowNo;
  const bytes = () => gdalOutput(gdal.rows(path, layer.name), path, name, context);
  const reading = { source: { ...source, bytes }, spec, output, context };
  let isRead = layer.geometry !== 'any';
  const look = () => {
    isRead ||= output.batch.rows.some(({ geometry }) => geometry !== null);
    if (isRead || output.batch.rows.length === 0) return;
    throw formatError(
      `${name}: layer ${layer.name} has multipatches (3D shapes), which Plat can't read. Convert them to polygons first (Multipatch Footprint in ArcGIS).`,
    );
  };
  for await (const _ of readFeatureLines(reading, layer.crs)) {
    look();
    advance((output.rowNo - before) / layer.count);
    yield;
  }
  look();
  const read = output.rowNo - before;
  if (read < layer.count) throw truncatedError(name, `it has ${read} of ${layer.count} rows`);
  advance(1);
}

/** GDAL skips layers that ArcGIS has compressed (CDF), so a different layer may be the only one left. */
async function layersOf(
  gdal: Gdal,
  path: string,
  { source: { name }, spec, context }: FileRead,
): Promise<Layer[]> {
  // Ignore the error if the path isn't a folder, because GDAL will report it.
  const files = await readdir(path).catch((): string[] => []);
  const isCompressed = files.some(file => /\.cdf$/i.test(file));
  const compressed = () =>
    formatError(
      `${name} is a compressed file geodatabase (CDF), which GDAL can't read. Uncompress it in ArcGIS (Uncompress File Geodatabase Data), or export the layer as a shapefile or a GeoPackage.`,
    );
  let listed = '';
  try {
    for await (const bytes of gdalOutput(gdal.list(path), path, name, context))
      listed += bytes.toString('utf8');
  } catch (error) {
    throw isCompressed && error instanceof PlatError && error.code === 'feed_format' ? compressed() : error;
  }
  // GDAL's programs would read a name that starts with "-" as an option.
  const layers = gdal.layers(listed).filter(layer => !layer.name.startsWith('-'));
  const isNamed = layers.some(layer => layer.name.toLowerCase() === spec.layer?.toLowerCase());
  if (isCompressed && !isNamed) throw compressed();
  return layers;
}

function gdalPackage(): Gdal | null {
  let folder: string;
  try {
    folder = join(dirname(createRequire(import.meta.url).resolve('gdal3.js/node.js')), 'dist/package');
  } catch {
    return null;
  }
  const child = fileURLToPath(new URL('./filegdb-child.mjs', import.meta.url));
  const command = (...args: string[]): Command => ({
    program: process.execPath,
    args: ['--max-old-space-size=512', child, ...args],
    cwd: folder,
  });
  return {
    list: path => command(path),
    layers: listed =>
      JSON.parse(listed).map((layer: Listed) => ({
        ...layer,
        geometry: layer.type && (/^(unknown|geometry$)/i.test(layer.type) ? 'any' : 'typed'),
        crs: layer.crs && projjsonNames(layer.crs),
      })),
    rows: (path, layer) => command(path, layer, ...AS_ROWS),
  };
}

/** GDAL's own programs, version 3.3 or later. */
export const INSTALLED_GDAL: Gdal = {
  list: path => ({ program: 'ogrinfo', args: ['-ro', '-so', '-al', '-wkt_format', 'WKT1_ESRI', path] }),
  layers: listed =>
    listed
      .split(/^Layer name: /m)
      .slice(1)
      .map(text => {
        const wkt = /^Layer SRS WKT:\n([\s\S]*?)\n(?=\S)/m.exec(text)?.[1] ?? '';
        return {
          name: text.slice(0, text.indexOf('\n')),
          count: Number(/^Feature Count: (\d+)$/m.exec(text)?.[1] ?? 0),
          geometry: /^Geometry: None$/m.test(text)
            ? null
            : /^Geometry: Unknown/m.test(text)
              ? 'any'
              : 'typed',
          crs: /^[A-Z]/.test(wkt) ? [wkt.replace(/\n\s*/g, '')] : null,
        };
      }),
  rows: (path, layer) => ({ program: 'ogr2ogr', args: [...AS_ROWS, '/vsistdout/', path, layer] }),
};

/** Removes GDAL's source code paths from its messages. */
const plainWords = (said: string): string =>
  said
    .replace(/Error occurred in \S+ at line \d+/i, "GDAL can't read it")
    .replace(/\S*\/[\w.-]+\.(cpp|c|h)\S*/g, 'GDAL');

/** Runs a GDAL command and returns its output. */
function gdalOutput(
  command: Command,
  path: string,
  name: string,
  context: OpenContext,
): AsyncGenerator<Buffer> {
  return readChildOutput(command, name, context, (code, said) => {
    if (code === 'ENOENT')
      return sourceError(
        `${name}: reading FileGDB needs GDAL, which is not installed. Install the package with "npm install gdal3.js", or GDAL's programs (ogr2ogr).`,
      );
    return formatError(
      `Can't read ${name} as a file geodatabase (${plainWords(said.replaceAll(path, name))}). Check the file.`,
    );
  });
}
