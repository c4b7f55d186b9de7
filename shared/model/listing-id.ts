import { uuidV5 } from './uuid.ts';

/** Derived from source and id, so that a listing has the same id in every installation. */
export const listingId = (source: string, sourceId: string): string =>
  uuidV5(`listing:${source}\u0000${sourceId}`);
