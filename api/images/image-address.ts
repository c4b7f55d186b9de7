import type { Db } from '../../shared/platform/db.ts';
import { openSignedAddresses, type SignedAddresses } from '../http/signed-addresses.ts';

/** The signed content of a picture's URL. Names are short because they are part of it. */
export type SignedImage = {
  /** The parcel. */
  p: number;
  /** The picture's key, which covers the versions of boundary and imagery. */
  k: string;
  /** When it expires, in seconds. */
  e: number;
  /** Random, so that every call returns a different URL. */
  n: string;
};

/** Prefix of the signed text. */
const FORMAT = 'plat image 1\n';

export type ImageUrls = SignedAddresses<SignedImage>;

export const openImageUrls = (db: Db): ImageUrls => openSignedAddresses(db, FORMAT);
