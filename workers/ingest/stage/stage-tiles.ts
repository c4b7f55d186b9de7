import { type Client, sql } from '../../../shared/db.ts';
import { isRetryable, PlatError } from '../../../shared/errors.ts';
import { boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { type DeclaredElevation, readTileHeader, type TileHeader } from '../../../shared/raster/header.ts';
import { bump, type RunCounts } from '../run/counts.ts';
import type { RejectWriter } from '../run/rejects.ts';
import { isAbsent, type NamedTile, type NamedTiles } from './tiles.ts';

/** What became of a file that a feed names. */
export type TileOutcome =
  | { tile: TileHeader }
  /** A template's file that is not there, as over the sea. */
  | { absent: true }
  | { reason: string; message: string };

/** Headers asked for at a time: a server of tiles answers each in some 100 ms. */
const AT_A_TIME = 6;

/**
 * Reads the headers of tiles, several at a time, and hands each outcome on in the order of the tiles. A file that the feed
 * names itself must be there and readable; those of an index are judged one by one, and those of a template may be absent.
 * @throws PlatError of a file that the feed names itself, and what may pass by itself (a server that is away)
 */
export async function* readTiles(
  { by, tiles }: Pick<NamedTiles, 'by' | 'tiles'>,
  declared: DeclaredElevation,
  signal: AbortSignal,
): AsyncGenerator<[NamedTile, TileOutcome]> {
  const outcomeOf = async ({ source }: NamedTile): Promise<TileOutcome> => {
    if (source === null) return { reason: 'missing_location', message: 'the feature has no location' };
    try {
      return { tile: await readTileHeader(source, declared, { signal }) };
    } catch (error) {
      if (by === 'template' && (await isAbsent(source, error))) return { absent: true };
      if (!(error instanceof PlatError) || by === 'source' || isRetryable(error)) throw error;
      return { reason: error.code, message: error.message };
    }
  };
  for (let at = 0; at < tiles.length; at += AT_A_TIME) {
    const some = tiles.slice(at, at + AT_A_TIME);
    const outcomes = await Promise.all(some.map(outcomeOf));
    for (const [i, outcome] of outcomes.entries()) yield [some[i]!, outcome];
  }
}

/** Stages the tiles whose headers can be read, each once; the others are rejected or counted as absent. */
export async function stageTiles(
  outcomes: AsyncIterable<[NamedTile, TileOutcome]>,
  stage: { client: Client; feedId: number; rejects: RejectWriter; counts: RunCounts },
): Promise<TileHeader[]> {
  const { client, feedId, rejects, counts } = stage;
  const tiles = new Map<string, TileHeader>();
  counts.absent = 0;
  counts.read.elevation = 0;
  for await (const [{ rowNo, source }, outcome] of outcomes) {
    counts.read.elevation++;
    if ('absent' in outcome) counts.absent++;
    else if ('reason' in outcome) {
      const { reason, message } = outcome;
      bump(counts.rejected, reason);
      rejects.add({ input: 'elevation', rowNo, field: 'source', reason, message, raw: source ?? '' });
    } else if (tiles.has(outcome.tile.source)) counts.identical++;
    else tiles.set(outcome.tile.source, outcome.tile);
    await rejects.drain();
  }
  const rows = [...tiles.values()].map(rowOf);
  await client.query(sql('layers/stage_tiles'), [feedId, JSON.stringify(rows)]);
  return [...tiles.values()];
}

function rowOf(tile: TileHeader): Record<string, string | number | null> {
  const { source, fingerprint, width, height, crs, nodata } = tile;
  const [origin_x, origin_y, step_x, step_y] = [tile.originX, tile.originY, tile.stepX, tile.stepY];
  const place = { width, height, origin_x, origin_y, step_x, step_y, extent: boxSql(boxToE7(tile.extent)) };
  return { source, fingerprint, ...place, crs, unit_m: tile.unitM, nodata };
}
