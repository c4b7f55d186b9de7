import type { Db } from '../../shared/platform/db.ts';
import { sign, verifySigned } from './signed.ts';

/** How long the secrets are cached. Other processes may start to sign with a new secret before then. */
const SECRET_MS = 60_000;
/** The minimum time between reads, so that forged URLs can't load the database. */
const MIN_MS = 1_000;

/** @template Named the signed data. `e` is the expiration time in seconds. */
export type SignedAddresses<Named extends { e: number }> = {
  sign(named: Named): Promise<string>;
  /** The signed data, or undefined if the URL is forged, altered, or expired. */
  read(token: string, now: Date): Promise<Named | undefined>;
};

/**
 * URLs that need no key. The installation's secrets are in the database, so any API process can verify what
 * another one signed. The two newest secrets are valid.
 * @param format prefix of the signed text
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
