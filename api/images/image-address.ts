import type { Database } from '../http/database.ts';
import { sign, verifySigned } from '../http/signed.ts';

/** What the address of a picture names. Short names: it travels in the address. */
export type SignedImage = {
  /** The parcel. */
  p: number;
  /** The picture's key, which covers the versions of boundary and imagery. */
  k: string;
  /** When it expires, in seconds. */
  e: number;
  /** Random: every call answers an address of its own. */
  n: string;
};

/** First in the signed text. */
const FORMAT = 'plat image 1\n';

/**
 * How long a secret is used before it is looked up again: after a rotation others sign with
 * the new one at once.
 */
const SECRET_MS = 60_000;
/** The secret is read at most this often, so that forged addresses do not load the database. */
const MIN_MS = 1_000;

export type ImageUrls = {
  sign(named: SignedImage): Promise<string>;
  /** What an address names; undefined for one that is forged, altered or expired. */
  read(token: string, now: Date): Promise<SignedImage | undefined>;
};

/**
 * The installation's secrets are in the database, so that any API process reads what another one has signed;
 * the last two are valid.
 */
export function openImageUrls(database: Database): ImageUrls {
  let secrets: Buffer[] = [];
  let readAt = -Infinity;
  const readSecrets = async (maxAgeMs: number): Promise<Buffer[]> => {
    if (performance.now() - readAt > maxAgeMs) {
      const rows = await database.run<{ secret: Buffer }>('imagery/list_secrets');
      secrets = rows.map(row => row.secret);
      readAt = performance.now();
    }
    return secrets;
  };
  return {
    async sign(named) {
      const [newest] = await readSecrets(SECRET_MS);
      return sign(FORMAT, named, newest!);
    },
    async read(token, now) {
      const named =
        verifySigned(FORMAT, token, await readSecrets(SECRET_MS)) ??
        verifySigned(FORMAT, token, await readSecrets(MIN_MS));
      const image = named as SignedImage | undefined;
      return image !== undefined && image.e * 1000 > now.getTime() ? image : undefined;
    },
  };
}
