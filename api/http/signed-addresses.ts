import type { Db } from '../../shared/platform/db.ts';
import { sign, verifySigned } from './signed.ts';

/** How long a secret is used before it is looked up again: others sign with a rotated one at once. */
const SECRET_MS = 60_000;
/** The secret is read at most this often, so that forged addresses do not load the database. */
const MIN_MS = 1_000;

/** @template Named what an address names; `e` is when it expires, in seconds */
export type SignedAddresses<Named extends { e: number }> = {
  sign(named: Named): Promise<string>;
  /** What an address names; undefined for one that is forged, altered or expired. */
  read(token: string, now: Date): Promise<Named | undefined>;
};

/**
 * Addresses that need no key. The installation's secrets are in the database, so that any API process reads
 * what another one has signed; the last two are valid.
 * @param format first in the signed text
 */
export function openSignedAddresses<Named extends { e: number }>(
  db: Db,
  format: string,
): SignedAddresses<Named> {
  let secrets: Buffer[] = [];
  let readAt = -Infinity;
  const readSecrets = async (maxAgeMs: number): Promise<Buffer[]> => {
    if (performance.now() - readAt > maxAgeMs) {
      const rows = await db.run<{ secret: Buffer }>('platform/list_signing_secrets');
      secrets = rows.map(row => row.secret);
      readAt = performance.now();
    }
    return secrets;
  };
  return {
    async sign(named) {
      const [newest] = await readSecrets(SECRET_MS);
      return sign(format, named, newest!);
    },
    async read(token, now) {
      const named =
        verifySigned(format, token, await readSecrets(SECRET_MS)) ??
        verifySigned(format, token, await readSecrets(MIN_MS));
      const address = named as Named | undefined;
      return address !== undefined && address.e * 1000 > now.getTime() ? address : undefined;
    },
  };
}
