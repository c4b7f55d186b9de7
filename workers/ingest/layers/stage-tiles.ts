import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { isRetryable, PlatError } from '../../../shared/platform/errors.ts';
import { formatError, type OpenContext } from '../../../shared/platform/http/download-context.ts';
import { localPath, openSource } from '../../formats/source.ts';
import type { RunContext } from '../engine/run-context.ts';
import { increment } from '../engine/run-counts.ts';
import { withStages } from '../engine/stage-rows.ts';
import type { Files } from './files-schema.ts';

export type NamedTile = {
  rowNo: number;
  /** Absolute path or http(s) URL. Null for an index entry without a file. */
  source: string | null;
};

type NamedTiles = {
  by: Files['by'];
  /** The source as the feed names it, for the run's record. */
  given: string[];
  tiles: NamedTile[];
};

/** Maximum size of an index. A list of every 1 m tile in the United States is 20 MB. */
const INDEX_BYTES = 64 * 2 ** 20;

/**
 * The files that a feed of elevation or imagery selects with source, template, or index. Relative paths are
 * resolved against the feed file, or for an index, against the index.
 * @throws PlatError for the index: `feed_source` if it cannot be read, `feed_format` if it is neither lines
 * nor GeoJSON
 */
export async function namedTiles(tiles: Files, context: OpenContext): Promise<NamedTiles> {
  const { baseDir } = context;
  if (tiles.by === 'source') return listed('source', tiles.sources, tiles.sources, baseDir);
  if (tiles.by === 'template')
    return listed('template', [tiles.template], tilesOfBounds(tiles.template, tiles.bounds), baseDir);
  const locations = await readIndex(tiles.index, context);
  const start = isUrl(tiles.index) ? tiles.index : dirname(localPath(tiles.index, baseDir));
  return listed('index', [tiles.index], locations, start);
}

function listed(
  by: NamedTiles['by'],
  given: string[],
  sources: readonly (string | null)[],
  start: string,
): NamedTiles {
  const tiles = sources.map((source, i) => ({
    rowNo: i + 1,
    source: source === null ? null : absolute(source, start),
  }));
  return { by, given, tiles };
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

function absolute(source: string, start: string): string {
  if (isUrl(source)) return source;
  return isUrl(start) ? new URL(source, start).href : localPath(source, start);
}

async function readIndex(index: string, context: OpenContext): Promise<(string | null)[]> {
  const extensions = ['.txt', '.csv', '.geojson', '.json'];
  const opened = await openSource(index, { extensions }, context);
  try {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of opened.bytes()) {
      length += part.length;
      if (length > INDEX_BYTES)
        throw formatError(
          `${opened.name} is longer than ${INDEX_BYTES} bytes. Check that it is a list of tiles.`,
        );
      parts.push(part);
    }
    const text = Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    return /^\s*\{/.test(text) ? locationsOf(text, opened.name) : linesOf(text, opened.name);
  } finally {
    await opened.close();
  }
}

function linesOf(text: string, name: string): string[] {
  if (text.includes('\0'))
    throw formatError(`${name} is not a list of tiles. Write one path or URL per line.`);
  return text
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'));
}

/** The `location` of every feature in a tile index. https://gdal.org/en/stable/programs/gdaltindex.html */
function locationsOf(text: string, name: string): (string | null)[] {
  let index: { features?: unknown };
  try {
    index = JSON.parse(text) as { features?: unknown };
  } catch (cause) {
    throw formatError(`${name} is not valid JSON (${(cause as Error).message}).`, cause);
  }
  if (!Array.isArray(index.features))
    throw formatError(`${name} is not a GeoJSON FeatureCollection. Write it with gdaltindex -f GeoJSON.`);
  return index.features.map((feature: { properties?: { location?: unknown } | null } | null) => {
    const location = feature?.properties?.location;
    return typeof location === 'string' && location.trim() !== '' ? location.trim() : null;
  });
}

/** Whether a template's file doesn't exist, for example over the sea. */
async function isAbsent(source: string, error: unknown): Promise<boolean> {
  if (!(error instanceof PlatError) || error.code !== 'feed_source') return false;
  if (isUrl(source)) return error.status === 404;
  return (await stat(source).catch(() => null)) === null;
}

export async function* tilesOf<Tile>(
  run: RunContext,
  input: 'elevation' | 'imagery',
  files: Files,
  read: (source: string) => Promise<Tile>,
): AsyncGenerator<[NamedTile, TileOutcome<Tile>]> {
  const { baseDir, signal, tmpDir } = run;
  try {
    const named = await namedTiles(files, { baseDir, tmpDir, signal });
    run.inputs.push({ input, source: named.given, bytes: 0 });
    let done = 0;
    for await (const outcome of readTiles(named, read)) {
      signal.throwIfAborted();
      const all = named.tiles.length;
      run.progress((0.6 * ++done) / all, `${input}: ${done} of ${all} tiles`);
      yield outcome;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

export type TileOutcome<Tile> =
  | { tile: Tile }
  /** A template's file that doesn't exist, for example over the sea. */
  | { absent: true }
  | { reason: string; message: string };

/** Number of headers requested at a time. A tile server takes about 100 ms for each. */
const READS_AT_ONCE = 6;

/**
 * Reads the headers of tiles, several at a time, and returns the results in the order of the tiles. Files
 * that the feed names must be readable. Files from an index are accepted or rejected individually, and files
 * from a template may be missing.
 * @throws PlatError for a file that the feed names, and for temporary errors such as an unreachable server
 */
export async function* readTiles<Tile>(
  { by, tiles }: Pick<NamedTiles, 'by' | 'tiles'>,
  read: (source: string) => Promise<Tile>,
): AsyncGenerator<[NamedTile, TileOutcome<Tile>]> {
  const outcomeOf = async ({ source }: NamedTile): Promise<TileOutcome<Tile>> => {
    if (source === null) return { reason: 'missing_location', message: 'the feature has no location' };
    try {
      return { tile: await read(source) };
    } catch (error) {
      if (by === 'template' && (await isAbsent(source, error))) return { absent: true };
      if (!(error instanceof PlatError) || by === 'source' || isRetryable(error)) throw error;
      return { reason: error.code, message: error.message };
    }
  };
  for (let at = 0; at < tiles.length; at += READS_AT_ONCE) {
    const some = tiles.slice(at, at + READS_AT_ONCE);
    const outcomes = await Promise.all(some.map(outcomeOf));
    for (const [i, outcome] of outcomes.entries()) yield [some[i]!, outcome];
  }
}

export function stageTiles<Tile extends { source: string }>(
  run: RunContext,
  input: 'elevation' | 'imagery',
  outcomes: AsyncIterable<[NamedTile, TileOutcome<Tile>]>,
  name: 'land/stage_tiles' | 'imagery/stage_imagery',
  rowOf: (tile: Tile) => object,
): Promise<Tile[]> {
  return withStages(run, 1, async ([connection], rejects) => {
    const { feedId, counts } = run;
    const tiles = new Map<string, Tile>();
    counts.absent = 0;
    counts.read[input] = 0;
    for await (const [{ rowNo, source }, outcome] of outcomes) {
      counts.read[input]++;
      if ('absent' in outcome) counts.absent++;
      else if ('reason' in outcome) {
        const { reason, message } = outcome;
        increment(counts.rejected, reason);
        rejects.add({ input, rowNo, field: 'source', reason, message, raw: source ?? '' });
      } else if (tiles.has(outcome.tile.source)) counts.identical++;
      else tiles.set(outcome.tile.source, outcome.tile);
      await rejects.drain();
    }
    const rows = [...tiles.values()].map(rowOf);
    await connection!.run(name, { feed_id: feedId, tiles: JSON.stringify(rows) });
    return [...tiles.values()];
  });
}

/** Tolerance for bounds that should be on a full degree, about 10 cm. */
const SLACK_DEG = 1e-6;

/** More than the number of tiles that cover North America, including the sea. Larger bounds are a mistake. */
const MAX_TILES = 4000;

/**
 * The paths or URLs of the 1-degree tiles that bounds touch, named as USGS 3DEP names them, by their
 * northwest corner, so that n45w069 spans latitudes 44 to 45 and longitudes -69 to -68
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
