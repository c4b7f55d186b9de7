import { bytesOf, type Serials } from '../../../shared/kernels/serials/serials.ts';
import type { Database } from '../../http/database.ts';
import { openLru } from './lru.ts';
import { indexBytes, type WordIndex } from './word-index.ts';

/** The words of a county's owners in upper case, and the version of the roll that they are of; null: it has none. */
export type CountyWords = { version: string | null; words: WordIndex };

/**
 * What a process has read of the words of owners and of the parcels that have them. It may be behind the database: who
 * uses it has to ask for the version with the last thing that is read, and to begin again when that is another.
 */
export type HeldOwners = {
  /** What is held of a county, or else what `read` brings; calls that wait for it at once share one. */
  county(fips: number, read: () => Promise<CountyWords>): Promise<CountyWords>;
  /** To be called when another version is there. */
  forget(fips: number): void;
  /** The parcels on the roll whose owner's name holds the piece, as of a version. */
  parcels(fips: number, version: string, piece: string): Serials | undefined;
  keep(fips: number, version: string, piece: string, parcels: Serials): void;
};

/**
 * At most what is held in every process, together less than the process takes without it (200 MB under load). The 91,000
 * words of 2,000,000 parcels take 6 MB. A piece that one owner in six has takes 250 kB among those, a surname 4 bytes a
 * parcel: room for what is looked for again and again in ten of the largest counties, or in many more of the others.
 */
const MAX_WORDS_BYTES = 64 * 1024 * 1024;
const MAX_PARCELS_BYTES = 64 * 1024 * 1024;

/** For the entry of one piece without its parcels, generously. */
const ENTRY_BYTES = 1_000;

/**
 * A version is the number of a transaction, of which there are 2^32: none comes again within an hour. This also bounds
 * how long anything outlives a database that was put back to an earlier state.
 */
const MAX_AGE_MS = 3_600_000;

export function openHeldOwners(
  { wordsBytes = MAX_WORDS_BYTES, parcelsBytes = MAX_PARCELS_BYTES } = {},
  now: () => number = Date.now,
): HeldOwners {
  const counties = openLru<number, CountyWords & { since: number }>(
    wordsBytes,
    ({ words }) => indexBytes(words) + ENTRY_BYTES,
  );
  const pieces = openLru<string, { version: string; since: number; parcels: Serials }>(
    parcelsBytes,
    ({ parcels }) => bytesOf(parcels) + ENTRY_BYTES,
  );
  const reading = new Map<number, Promise<CountyWords>>();

  async function readCounty(fips: number, read: () => Promise<CountyWords>): Promise<CountyWords> {
    try {
      const county = await read();
      if (county.version !== null) counties.set(fips, { ...county, since: now() });
      return county;
    } finally {
      reading.delete(fips);
    }
  }

  return {
    async county(fips, read) {
      const held = counties.get(fips);
      if (held !== undefined && now() - held.since <= MAX_AGE_MS) return held;
      const underWay = reading.get(fips) ?? readCounty(fips, read);
      reading.set(fips, underWay);
      return underWay;
    },
    forget: fips => counties.delete(fips),
    parcels(fips, version, piece) {
      const held = pieces.get(keyOf(fips, piece));
      if (held?.version === version && now() - held.since <= MAX_AGE_MS) return held.parcels;
      return undefined;
    },
    keep: (fips, version, piece, parcels) =>
      pieces.set(keyOf(fips, piece), { version, since: now(), parcels }),
  };
}

const keyOf = (fips: number, piece: string) => `${fips} ${piece}`;

const opened = new WeakMap<Database, HeldOwners>();

/** What this process holds of a database. */
export function heldOwnersOf(database: Database): HeldOwners {
  let held = opened.get(database);
  if (held === undefined) {
    held = openHeldOwners();
    opened.set(database, held);
  }
  return held;
}
