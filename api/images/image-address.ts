import type { Db } from '../../shared/platform/db.ts';
import { openSignedAddresses, type SignedAddresses } from '../http/signed-addresses.ts';

export type SignedImage = {
  /** The parcel. */
  p: number;
  /** The picture's key, which includes the versions of its boundary and imagery. */
  k: string;
  /** When it expires, in seconds. */
  e: number;
  /** Random, so that every call returns a different URL. */
  n: string;
};

const FORMAT = 'plat image 1\n';

export type ImageUrls = SignedAddresses<SignedImage>;

export const openImageUrls = (db: Db): ImageUrls => openSignedAddresses(db, FORMAT);
