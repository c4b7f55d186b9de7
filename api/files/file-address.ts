import type { Db } from '../../shared/platform/db.ts';
import { openSignedAddresses } from '../http/signed-addresses.ts';

/** The data in a file's URL. Names are short because they are part of the URL. */
export type SignedFile = {
  /** The export. */
  x: string;
  /** The part number, 0 for all parts in order, or CREDITS. */
  n: number;
  /** When the URL and its file expire, in epoch seconds. */
  e: number;
};

/** The number of the text with a file's credits. */
export const CREDITS = -1;

const FORMAT = 'plat file 1\n';

export type FileAddresses = {
  pathOf(exportId: string, part: number, expiresAt: Date): Promise<string>;
  /** The data in a URL, or undefined if the URL is forged, altered, or expired. */
  read(token: string, now: Date): Promise<SignedFile | undefined>;
};

export function openFileAddresses(db: Db): FileAddresses {
  const addresses = openSignedAddresses<SignedFile>(db, FORMAT);
  return {
    pathOf: async (exportId, part, expiresAt) =>
      `/files/${await addresses.sign({ x: exportId, n: part, e: Math.floor(expiresAt.getTime() / 1000) })}`,
    read: (token, now) => addresses.read(token, now),
  };
}
