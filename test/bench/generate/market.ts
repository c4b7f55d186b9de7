import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { uuidV5 } from '../../../shared/domain/uuid.ts';
import { createRandom, type Random } from './random.ts';

/** A county of 75 x 75 km, with its parcels and the sales among them, without geometry. */
export const MARKET_FIPS = 31_031;
const [WEST, SOUTH, WIDTH_DEG, HEIGHT_DEG] = [-101.4, 42.1, 0.91, 0.68];
export const MARKET_AS_OF = '2026-06-30';
const YEARS = 10;

export type MarketSize = { parcels: number; comps: number; seed: number; firstSerial?: number };

/** Fills a migrated database; what a merge would leave of it that valuations read. */
export async function seedMarket(
  client: pg.Client,
  { parcels, comps, seed, firstSerial = 1 }: MarketSize,
): Promise<void> {
  const random = createRandom(seed);
  await client.query('insert into county_serials (fips, last_serial) values ($1, $2)', [
    MARKET_FIPS,
    parcels,
  ]);
  const { rows } = await client.query<{ id: number }>(
    "insert into feeds (name, kind, definition) values ('generated', 'listings', '{}') returning id",
  );
  await copy(
    client,
    'parcel_filters (fips, property_id, location, effective_acres)',
    parcelLines(parcels, firstSerial, random),
  );
  await copy(
    client,
    'listings (id, feed_id, source, source_id, status, location, fips, lot_acres, price, sold_date, row_hash, created_run, changed_run)',
    saleLines(comps, rows[0]!.id, random),
  );
  await client.query('vacuum analyze listings, parcel_filters');
  await client.query('checkpoint');
}

function copy(client: pg.Client, into: string, lines: Iterable<string>): Promise<void> {
  return pipeline(Readable.from(lines), client.query(copyStreams.from(`copy ${into} from stdin`)));
}

function* parcelLines(count: number, first: number, random: Random): Generator<string> {
  for (let i = 0; i < count; i++) {
    const { x, y, acres } = place(random);
    yield `${MARKET_FIPS}\t${MARKET_FIPS * 1e8 + first + i}\t(${x},${y})\t${acres}\n`;
  }
}

function* saleLines(count: number, feed: number, random: Random): Generator<string> {
  for (let i = 0; i < count; i++) {
    const sale = randomSale(random, i);
    yield `${sale.id}\t${feed}\tgenerated\t${i}\tSOLD\t(${sale.x},${sale.y})\t${MARKET_FIPS}\t${sale.acres}\t${sale.price}\t${sale.sold}\t${sale.id}\t1\t1\n`;
  }
}

/** A sale: ln(price per acre) falls by 0.6 with ln(acres), rises by 4 % a year, with hills of 20 km and noise of 0.3. */
export function randomSale(random: Random, serial: number) {
  const { x, y, acres } = place(random);
  const days = Math.floor(random() * YEARS * 365);
  const hill = 0.4 * Math.sin(x / 7e5) * Math.cos(y / 7e5);
  const logPpa = 9 + hill - 0.6 * Math.log(acres) - (0.04 * days) / 365 + 0.3 * normal(random);
  return {
    id: uuidV5(`bench sale ${serial}`),
    ...{ x, y, acres, price: (Math.exp(logPpa) * acres).toFixed(2) },
    sold: new Date(Date.parse(MARKET_AS_OF) - days * 86_400_000).toISOString().slice(0, 10),
  };
}

function place(random: Random) {
  return {
    x: Math.round((WEST + WIDTH_DEG * random()) * 1e7),
    y: Math.round((SOUTH + HEIGHT_DEG * random()) * 1e7),
    acres: Number(Math.exp(1.5 + 1.3 * normal(random)).toFixed(3)),
  };
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
