import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { countCoverage, rewriteWords } from '../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, timed, withBenchDatabase } from './bench.ts';
import { createRandom, pick, type Random, seedOf } from './generate/random.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

/**
 * Number of parcels in the reference's one county, and in total in the other counties. BENCH_PARCELS sets a
 * smaller number for a small machine.
 */
const PARCELS = Number(process.env.BENCH_PARCELS ?? 2_000_000);
const QUICK_PARCELS = 8_000;
const COUNTIES = 40;
const ONE_COUNTY = 19_153;
const OTHERS = Array.from({ length: COUNTIES }, (_, at) => 20_001 + 2 * at);

const CONNECTIONS = 10;
const ROUNDS = 4;
const SECONDS = 5;
const MOST = 1.5;
/** More searches than any machine completes in all rounds. */
const SEARCHES = 20_000;

/**
 * The most common words in a county, each in 1% to 17% of its parcels. A tenth of the owner searches use
 * them.
 */
const COMMON = ['smith', 'llc', 'revocable trust', 'smith john', 'city of', 'john', 'llc properties'];

/**
 * Measures searching everything in 40 counties, compared with searching by owner in one county with the same
 * number of parcels. Each search goes through the whole service, 10 at a time. Owners and addresses come from
 * random parcels and are written as people search for them. Of the searches of everything, half are for
 * owners and half are for addresses.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async (url, pool) => {
    const parcels = options.quick ? QUICK_PARCELS : PARCELS;
    options.note(`  writing ${parcels} parcels of one county, and as many of ${COUNTIES}`);
    await seedCounty(pool, ONE_COUNTY, parcels);
    const rounds = options.quick ? 1 : ROUNDS;
    const key = await createCaller(pool, 'bench');
    const random = createRandom(seedOf(1, 90));
    const owners = await withServers(url, ['plat'], async ({ plat }) => {
      const rows = await drawParcels(pool, [ONE_COUNTY], parcels, random);
      const path = (row: Row) =>
        `properties/search/?fips=${ONE_COUNTY}&owner_name=${encoded(ownerOf(random, row))}`;
      return load(plat, key, rows.map(path).values(), rounds * SECONDS);
    });
    await pool.query('truncate parcels, owner_words, situs_words, county_coverage');
    for (const fips of OTHERS) await seedCounty(pool, fips, parcels / COUNTIES);
    const all = await withServers(url, ['plat'], async ({ plat }) => {
      const rows = await drawParcels(pool, OTHERS, parcels / COUNTIES, random);
      const path = (row: Row, at: number) =>
        `search/?q=${encoded(at % 2 === 0 ? ownerOf(random, row) : addressOf(random, row))}`;
      return load(plat, key, rows.map(path).values(), rounds * SECONDS);
    });
    return judged(
      {
        name: `\`search/\` in ${COUNTIES} counties of ${parcels.toLocaleString('en-US')} parcels, ${CONNECTIONS} at a time: p99`,
        reference: `search by owner in one county of as many`,
        value: at(all, 0.99) / at(owners, 0.99),
        unit: 'x',
        details: {
          'p99 ms': at(all, 0.99).toFixed(1),
          'p50 ms': at(all, 0.5).toFixed(1),
          searches: all.length,
          'reference p99 ms': at(owners, 0.99).toFixed(1),
          'reference p50 ms': at(owners, 0.5).toFixed(1),
          'reference searches': owners.length,
        },
      },
      { most: MOST },
    );
  });
}

const encoded = encodeURIComponent;
const at = (times: readonly number[], share: number) =>
  times[Math.min(times.length - 1, Math.floor(share * times.length))]!;

const SEED = readFileSync(join(import.meta.dirname, 'sql', 'seed_owners_and_addresses.sql'), 'utf8');

async function seedCounty(pool: TestDb, fips: number, parcels: number): Promise<void> {
  await ensurePartitions(pool, [fips]);
  await pool.query(SEED, [fips, parcels]);
  await rewriteWords(pool, [fips]);
  await countCoverage(pool, [fips]);
  await pool.query('analyze parcels, owner_words, situs_words');
}

type Row = { owner_name: string; situs_address: string; situs_city: string };

/** Random parcels without repeats. */
async function drawParcels(pool: TestDb, counties: number[], each: number, random: Random): Promise<Row[]> {
  const ids = Array.from(
    { length: SEARCHES },
    () => pick(random, counties) * 1e8 + 1 + Math.floor(random() * each),
  );
  const { rows } = await pool.query<Row>(
    `select owner_name, situs_address, situs_city from parcels
     where fips = any ($1) and property_id = any ($2) and owner_name is not null order by md5(property_id::text)`,
    [counties, [...new Set(ids)]],
  );
  return rows;
}

/**
 * One in ten searches is a common word, and four in ten are a whole name. The others are the name's first
 * word, its first two words, or the start of the first.
 */
function ownerOf(random: Random, { owner_name: name }: Row): string {
  const words = name.toLowerCase().replaceAll(',', '').split(' ');
  const draw = random();
  if (draw < 0.1) return pick(random, COMMON);
  if (draw < 0.5) return words.join(' ');
  if (draw < 0.75) return words[0]!;
  return draw < 0.9 ? words.slice(0, 2).join(' ') : words[0]!.slice(0, 5);
}

const SPELLED: Record<string, string> = { st: 'street', rd: 'road', ave: 'avenue', n: 'north', s: 'south' };

/** Half are written as on the roll. The others include the city, use other spellings, or are cut off. */
function addressOf(random: Random, { situs_address: address, situs_city: city }: Row): string {
  const words = address.toLowerCase().split(' ');
  const draw = random();
  if (draw < 0.5) return words.join(' ');
  if (draw < 0.65) return `${words.join(' ')}, ${city.toLowerCase()}`;
  if (draw < 0.85) return words.map(word => SPELLED[word] ?? word).join(' ');
  return draw < 0.95 ? words.slice(0, -1).join(' ').slice(0, -1) : words.slice(1).join(' ');
}

/** @returns milliseconds for every search after the warm-up, ascending */
async function load(
  origin: string,
  key: string,
  searches: Iterator<string>,
  seconds: number,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { Authorization: `Bearer ${key}` };
  const ask = (path: string) =>
    new Promise<void>((resolve, reject) => {
      get(`${origin}/api/public/v1/${path}`, { agent, headers }, response => {
        text(response).then(body => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${path} answered ${response.statusCode}: ${body}`));
        }, reject);
      }).on('error', reject);
    });
  const times: number[] = [];
  const begin = performance.now();
  const warm = begin + 2_000;
  const connection = async () => {
    for (;;) {
      const started = performance.now();
      if (started > warm + 1_000 * seconds) return;
      const { value, done } = searches.next();
      if (done) return;
      const ms = await timed(() => ask(value));
      if (started > warm) times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return times.sort((a, b) => a - b);
}
