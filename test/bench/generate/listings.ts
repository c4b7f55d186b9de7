import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import type { ListingField, ListingStatus } from '../../../shared/model/listing-fields.ts';
import { uuidV5 } from '../../../shared/model/uuid.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import type { TestDb } from '../../support/test-db.ts';
import { chunked, copyLine } from './chunks.ts';
import { dayNumber, dayText } from './days.ts';
import { STREET_KINDS, STREETS } from './names.ts';
import { allPlaces, type Place } from './places.ts';
import { below, between, createRandom, normal, pick, type Random, seedOf } from './random.ts';

export type ListingOptions = {
  count: number;
  seed: number;
  /** The day the listings are seen, 'YYYY-MM-DD'. No date is later than this. */
  asOf: string;
  /** Generates listings in this county only. */
  fips?: number;
  /** The source that the listings name. Default: 'generated'. */
  source?: string;
  /** How far back sales go. Default: three years. */
  reachDays?: number;
};

/** A listing in the form that a feed reports. */
export type GeneratedListing = Record<Exclude<ListingField, 'photos'>, string | number | null> & {
  status: ListingStatus;
  /** The county of the listing, whether or not `fips` states it. */
  countyFips: number;
  photos: string[];
};

/** The share of listings in each status. */
const STATUSES: readonly [share: number, status: ListingStatus][] = [
  [0.34, 'ACTIVE'],
  [0.06, 'PENDING'],
  [0.06, 'OFF_MARKET'],
  [0.54, 'SOLD'],
];

/**
 * Sales go back three years: the period that market windows read, and the same length again, which they must
 * ignore.
 */
const HISTORY_DAYS = 3 * 365;

const SALE_TYPES = ['Lots and Land', 'Lots and Land', 'Lots and Land', 'Farm', 'Residential'];

/**
 * Generates listings from a seed. Acreage is log-normal around 2 acres (sigma 1.9), which covers all 22
 * buckets. The price per acre falls with acreage and differs by state, county and listing. 1 in 100 has no
 * stated acreage.
 */
export function* generateListings(options: ListingOptions): Generator<GeneratedListing> {
  const { count, seed, asOf, fips, source = 'generated', reachDays = HISTORY_DAYS } = options;
  const random = createRandom(seedOf(seed, 1));
  const choose = placeChooser(seed, fips);
  const today = dayNumber(asOf);
  for (let serial = 1; serial <= count; serial++) {
    const place = choose(random);
    const status = chooseStatus(random);
    const acres = random() < 0.01 ? null : Math.exp(Math.log(2) + 1.9 * normal(random));
    const lotAcres = acres === null ? null : Math.max(0.01, round(acres, acres < 1 ? 4 : 2));
    const price = askingPrice(random, seed, place.fips, lotAcres ?? 1);
    const dates = chooseDates(random, status, today, reachDays);
    const ending = serial.toString().padStart(9, '0');
    const where = 0.02 * normal(random);
    yield {
      source,
      source_id: `G${ending}`,
      status,
      countyFips: place.fips,
      address: `${between(random, 1, 240) * 25} ${pick(random, STREETS)} ${pick(random, STREET_KINDS)}`,
      city: place.city,
      state: place.state,
      zip: place.zip,
      county: place.county,
      // A third have only the county's name.
      fips: serial % 3 === 0 ? null : fiveDigits(place.fips),
      apn:
        random() < 0.8 ? `${between(random, 10, 99)}-${between(random, 100, 999)}-${ending.slice(4)}` : null,
      latitude: round(place.lat + where, 6),
      longitude: round(place.lon + 0.02 * normal(random), 6),
      lot_acres: lotAcres,
      list_price: price,
      sold_price: status === 'SOLD' ? roundPrice(price * (0.8 + 0.22 * random())) : null,
      ...dates,
      sale_type: pick(random, SALE_TYPES),
      url: `https://listings.example/${ending}`,
      photos: Array.from(
        { length: below(random, 3) },
        (_, i) => `https://listings.example/${ending}/${i + 1}.jpg`,
      ),
      ...interest(serial),
    };
  }
}

/**
 * Doesn't use the random number stream, so that all other values stay the same. One page in five has no
 * counts.
 */
function interest(serial: number): { views: number | null; saves: number | null } {
  if (serial % 5 === 0) return { views: null, saves: null };
  const views = (serial * 7_919) % 997;
  return { views, saves: views % 13 };
}

/** Towns have different numbers of listings, because each place has a log-normal weight. */
function placeChooser(seed: number, fips: number | undefined): (random: Random) => Place {
  const places = allPlaces().filter(place => fips === undefined || place.fips === fips);
  if (places.length === 0)
    throw new PlatError('generate', `There is no county ${fips}. Name a county by its FIPS code.`);
  const weights = createRandom(seedOf(seed, 2));
  let sum = 0;
  const upTo = Float64Array.from(places, () => {
    sum += Math.exp(normal(weights));
    return sum;
  });
  return random => {
    const target = random() * sum;
    let low = 0;
    let high = places.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return places[low]!;
  };
}

function chooseStatus(random: Random): ListingStatus {
  let left = random();
  for (const [share, status] of STATUSES) {
    left -= share;
    if (left < 0) return status;
  }
  return 'SOLD';
}

function askingPrice(random: Random, seed: number, fips: number, acres: number): number {
  const state = normal(createRandom(seedOf(seed, 3, Math.floor(fips / 1000))));
  const county = normal(createRandom(seedOf(seed, 4, fips)));
  const perAcre = 14_000 * acres ** -0.42 * Math.exp(0.5 * state + 0.4 * county + 0.45 * normal(random));
  return roundPrice(perAcre * acres);
}

/**
 * Rounds as sellers do: to hundreds below 50,000, to thousands below 1,000,000, and to multiples of 5,000
 * above that.
 */
function roundPrice(price: number): number {
  const step = price < 50_000 ? 100 : price < 1_000_000 ? 1_000 : 5_000;
  return Math.max(500, Math.round(price / step) * step);
}

function chooseDates(random: Random, status: ListingStatus, today: number, reachDays: number) {
  const wait = Math.max(1, Math.round(Math.exp(Math.log(75) + 0.9 * normal(random))));
  const statusDay =
    status === 'ACTIVE'
      ? Math.max(today - wait, today - HISTORY_DAYS)
      : status === 'PENDING'
        ? today - below(random, 60)
        : today - below(random, reachDays);
  const listedDay = status === 'ACTIVE' ? statusDay : statusDay - wait;
  return {
    listed_date: dayText(listedDay),
    status_date: dayText(statusDay),
    sold_date: status === 'SOLD' ? dayText(statusDay) : null,
    // Some sources count days differently from their own dates, and many give no count.
    days_on_market:
      random() < 0.6
        ? null
        : Math.max(0, (status === 'ACTIVE' ? today : statusDay) - listedDay + below(random, 3)),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** A finished row for table `listings`, as an ingestion would store it. Includes off-market listings. */
function storedListing(listing: GeneratedListing, hashes: Random, feedId: number) {
  const { countyFips, photos, longitude, latitude, list_price, sold_price, apn, ...same } = listing;
  const { fips: _named, ...columns } = same;
  return {
    id: uuidV5(`listing:${listing.source}\u0000${listing.source_id}`),
    feed_id: feedId,
    ...columns,
    fips: countyFips,
    apn: apn ?? '',
    location: `(${Math.round(Number(longitude) * 1e7)},${Math.round(Number(latitude) * 1e7)})`,
    price: listing.status === 'SOLD' ? sold_price : list_price,
    photos: `{${photos.map(photo => `"${photo}"`).join(',')}}`,
    row_hash: randomUuid(hashes),
    created_run: 1,
    changed_run: 1,
  };
}

/** Fills table `listings` as ingestions would, and vacuums it as autovacuum would. */
export async function storeListings(pool: TestDb, options: ListingOptions): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    "insert into feeds (name, kind, definition) values ('generated', 'listings', '{}') returning id",
  );
  const hashes = createRandom(seedOf(options.seed, 5));
  const stored = (listing: GeneratedListing) => storedListing(listing, hashes, rows[0]!.id);
  const [first] = generateListings({ ...options, count: 1 });
  const columns = Object.keys(storedListing(first!, createRandom(1), 1));
  function* lines() {
    for (const listing of generateListings(options)) yield copyLine(Object.values(stored(listing)));
  }
  const client = await pool.connect();
  try {
    const copy = copyStreams.from(`copy listings (${columns.join(', ')}) from stdin`);
    await pipeline(Readable.from(chunked(lines())), client.query(copy));
    await client.query('vacuum analyze listings');
    await client.query('checkpoint');
  } finally {
    client.release();
  }
}

function randomUuid(random: Random): string {
  const hex = () => below(random, 4294967296).toString(16).padStart(8, '0');
  const text = hex() + hex() + hex() + hex();
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
