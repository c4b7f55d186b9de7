import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { uuidV5 } from '../../../shared/model/uuid.ts';
import { createRandom, type Random } from './random.ts';

/** A county of 75 x 75 km with parcels and sales, without geometry. */
export const MARKET_FIPS = 31_031;
const [WEST, SOUTH, WIDTH_DEG, HEIGHT_DEG] = [-101.4, 42.1, 0.91, 0.68];
export const MARKET_AS_OF = '2026-06-30';
const YEARS = 10;

export type MarketSize = { parcels: number; comps: number; seed: number; firstSerial?: number };

/**
 * Fills a migrated database with the rows that a merge would store and valuations read. Land attributes stay
 * unknown until `knowLand` is called.
 */
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
    "insert into feeds (name, kind, definition, as_of) values ('generated', 'listings', '{}', $1) returning id",
    [MARKET_AS_OF],
  );
  const feed = rows[0]!.id;
  const lots = Array.from({ length: parcels }, (_, i) => randomLot(random, firstSerial + i));
  await copy(
    client,
    `parcel_filters (fips, property_id, location, effective_acres, steeper_percent, landlocked, highway_frontage_ft,
      road_frontage_ft, local_frontage_ft, flood_zone_percent, wetlands_percent)`,
    lots.map(filterLine),
  );
  await copy(
    client,
    'parcels (fips, property_id, feed_id, source_key, apn, apn_normalized, created_run, changed_run)',
    lots.map(({ id }) => `${MARKET_FIPS}\t${id}\t${feed}\t${id}\t${id}\t${id}\t1\t1\n`),
  );
  await copy(
    client,
    `listings (id, feed_id, source, source_id, status, location, fips, lot_acres, price, sold_date, apn, row_hash,
      created_run, changed_run)`,
    saleLines(comps, feed, lots, random),
  );
  await client.query('vacuum analyze listings, parcel_filters, parcels');
  await client.query('checkpoint');
}

/** Writes land attributes as if layers covered all of the market's parcels. */
export async function knowLand(client: pg.Client): Promise<void> {
  await client.query(`insert into parcel_attributes (fips, property_id, shape_hash)
    select fips, property_id, md5(property_id::text)::uuid from parcel_filters`);
  await client.query('vacuum analyze parcel_attributes');
}

function copy(client: pg.Client, into: string, lines: Iterable<string>): Promise<void> {
  return pipeline(Readable.from(lines), client.query(copyStreams.from(`copy ${into} from stdin`)));
}

type Lot = ReturnType<typeof randomLot>;

/**
 * A third of the lots have slopes, a third have wetlands, a sixth are in a flood zone, and seven in ten have
 * frontage.
 */
function randomLot(random: Random, serial: number) {
  const percent = (chance: number) => (random() < chance ? Math.round(100 * random()) : 0);
  return {
    id: MARKET_FIPS * 1e8 + serial,
    ...place(random),
    steep: percent(0.33),
    flood: percent(0.17),
    wetlands: percent(0.33),
    frontageFt: random() < 0.3 ? 0 : Math.round(600 * random()),
  };
}

function filterLine({ id, x, y, acres, steep, frontageFt, flood, wetlands }: Lot): string {
  const shares = `{100,100,100,100,100,${Array.from({ length: 6 }, () => steep).join(',')}}`;
  const land = `${shares}\t${frontageFt === 0 ? 't' : 'f'}\t0\t0\t${frontageFt}\t${flood}\t${wetlands}`;
  return `${MARKET_FIPS}\t${id}\t(${x},${y})\t${acres}\t${land}\n`;
}

function* saleLines(count: number, feed: number, lots: readonly Lot[], random: Random): Generator<string> {
  for (let i = 0; i < count; i++) {
    const sale = randomSale(random, i, lots[i]);
    yield `${sale.id}\t${feed}\tgenerated\t${i}\tSOLD\t(${sale.x},${sale.y})\t${MARKET_FIPS}\t${sale.acres}\t${sale.price}\t${sale.sold}\t${lots[i]?.id ?? ''}\t${sale.id}\t1\t1\n`;
  }
}

/**
 * A sale of a lot, or of an unknown lot. ln(price per acre) falls by 0.6 with ln(acres), and by another 0.6
 * each if the whole lot is steep, in a flood zone, or wetland. It rises by 0.15 with ln(1 + feet of frontage
 * / 100) and by 4% per year. It also varies with location, in waves of 20 km, and has noise of 0.3.
 */
export function randomSale(random: Random, serial: number, lot?: Lot) {
  const { x, y, acres } = lot ?? place(random);
  const land = lot
    ? 0.15 * Math.log1p(lot.frontageFt / 100) - 0.006 * (lot.steep + lot.flood + lot.wetlands)
    : 0;
  const days = Math.floor(random() * YEARS * 365);
  const hill = 0.4 * Math.sin(x / 7e5) * Math.cos(y / 7e5);
  const logPpa = 9 + hill + land - 0.6 * Math.log(acres) - (0.04 * days) / 365 + 0.3 * normal(random);
  return {
    id: uuidV5(`bench sale ${serial}`),
    x,
    y,
    acres,
    price: (Math.exp(logPpa) * acres).toFixed(2),
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
