import type { Db } from '../../shared/platform/db.ts';
import { openSignedAddresses } from '../http/signed-addresses.ts';

/** What the address of a file names. Short names: it travels in the address. */
export type SignedFile = {
  /** The export. */
  x: string;
  /** Its part; 0 for all of them, one after the other. */
  n: number;
  /** When it expires, in seconds: with the file. */
  e: number;
};

const FORMAT = 'plat file 1\n';

export type FileAddresses = {
  pathOf(exportId: string, part: number, expiresAt: Date): Promise<string>;
  /** What an address names; undefined for one that is forged, altered or expired. */
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
