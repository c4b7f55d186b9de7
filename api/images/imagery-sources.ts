import { boxSql, boxToE7 } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { PlatError } from '../../shared/platform/errors.ts';
import type { ImageryFile } from '../../shared/raster/imagery-file.ts';
import { unavailable } from '../http/database.ts';
import { notFound } from '../http/error-responses.ts';
import type { Frame } from './image-frame.ts';
import type { ImageServer, TileServer } from './servers.ts';

/** An ingested imagery file or server: a row from images/list_imagery. */
export type ImagerySource = {
  feed: string;
  source: string;
  attribution: string;
  captured: string | null;
  version: string;
  /** Whether to follow redirects from public addresses to private networks. */
  private_network: boolean;
  west: number;
  south: number;
  east: number;
  north: number;
} & (
  | { type: 'cog'; details: Omit<ImageryFile, 'source' | 'fingerprint'>; fingerprint: string }
  | { type: 'xyz'; details: Omit<TileServer, 'template'> }
  | { type: 'arcgis_image'; details: Omit<ImageServer, 'address'> }
  | { type: 'relief' }
);

export const RETRY_SECONDS = 30;

export function listSources(db: Db, boxes: readonly Box[]): Promise<ImagerySource[]> {
  return db.run<ImagerySource>('imagery/list_imagery', {
    boxes: boxes.map(box => boxSql(boxToE7(box))),
  });
}

/**
 * The sources of a parcel's picture. Uses relief only if no imagery covers the parcel, not if imagery fails.
 */
export function selectSources(sources: ImagerySource[], frame: Frame): ImagerySource[] {
  const touching = sources.filter(({ west, south, east, north }) =>
    frame.parcelBoxes.some(box => west <= box[2] && box[0] <= east && south <= box[3] && box[1] <= north),
  );
  if (touching.length === 0) throw noImagery(undefined);
  const isAerial = touching.some(({ type }) => type !== 'relief');
  return sources.filter(({ type }) => (type !== 'relief') === isAerial);
}

/** @param cause why a source could not be read. Undefined if no source covers the parcel. */
export function noImagery(cause: unknown): PlatError {
  if (cause === undefined) return notFound('No imagery covers this parcel.');
  const message =
    'The source of imagery for this parcel is down. You were not charged. Try again in a few minutes.';
  return unavailable(message, cause, { 'Retry-After': String(RETRY_SECONDS) });
}
