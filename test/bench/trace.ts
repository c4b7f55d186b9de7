import { Db } from '../../shared/platform/db.ts';
import { sql, statement } from '../../shared/platform/statements.ts';
import { newCounts } from '../../workers/ingest/engine/run-counts.ts';
import { type Bitmaps, collectNumbers, stageBitmaps } from '../../workers/ingest/kinds/dnc/stage-dnc.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { between, createRandom, type Random } from './generate/random.ts';
import { measureMatching } from './trace-matching.ts';

/**
 * The size of the federal registry: 320 area codes with 780 exchanges each and 1,000 numbers per exchange.
 */
const AREAS = 320;
const EXCHANGES = 780;
const A_PREFIX = 1_000;
const LOOKUPS = 20_000;

/**
 * Measures the Do Not Call registry: reads, stages, and merges a full list of 250 million lines, as a feed
 * does, then looks up six numbers at a time, as a trace does. Also measures how well people are matched.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const areas = options.quick ? 2 : AREAS;
  const registry = await withBenchDatabase(options, async (_url, pool) => {
    const numbers = areas * EXCHANGES * A_PREFIX;
    options.note(`  loading ${numbers} numbers`);
    const parts = await load(pool, areas);
    const seconds = (parts.read + parts.write) / 1_000;
    const { rows } = await pool.query<{ mb: number; n: number; held: number }>(
      `select pg_total_relation_size('dnc_numbers') / 1e6 as mb, count(*)::int as n, sum(bit_count(bits))::bigint as held from dnc_numbers`,
    );
    const { mb, n, held } = rows[0]!;
    if (Number(held) !== numbers)
      throw new Error(`The registry holds ${held} numbers of ${numbers}: its time means nothing.`);
    options.note(`  ${LOOKUPS} look-ups`);
    const { asked, nothing } = await lookUp(pool, areas, options.quick ? 500 : LOOKUPS);
    const memory = Math.round(process.memoryUsage().rss / 1e6);
    const details = {
      numbers,
      'read s': (parts.read / 1_000).toFixed(1),
      'write s': (parts.write / 1_000).toFixed(1),
      rows: n,
      MB: Math.round(mb),
      'process MB': memory,
    };
    return [
      judged(
        {
          name: `a full list of ${(numbers / 1e6).toFixed(0)} million numbers loaded`,
          reference: '',
          value: numbers / 1e6 / seconds,
          unit: 'million/s',
          details,
        },
        { least: 2 },
      ),
      judged(
        {
          name: 'six numbers looked up among them, 99th percentile',
          reference: '',
          value: percentile99(asked),
          unit: 'ms',
          details: {
            'median ms': median(asked).toFixed(2),
            '`select 1` in between, 99th percentile ms': percentile99(nothing).toFixed(2),
            lookups: asked.length,
          },
        },
        { most: 1 },
      ),
    ];
  });
  return [...registry, ...measureMatching(options)];
}

const prefixOf = (area: number, exchange: number) => (210 + area * 2) * 1_000 + 200 + exchange;

async function load(pool: TestDb, areas: number): Promise<{ read: number; write: number }> {
  await pool.query('create unlogged table stage_dnc (prefix int, bits bytea)');
  const into: Bitmaps = new Map();
  const rejects = { add() {}, drain: async () => {}, end: async () => {} };
  const read = await timed(() =>
    collectNumbers(lines(areas), null, { into, removed: null }, { counts: newCounts(), rejects }),
  );
  const write = await timed(async () => {
    const client = await pool.connect();
    await stageBitmaps(new Db(client), into).finally(() => client.release());
    await pool.transaction(async merging => {
      await merging.query(sql('contacts/write_bitmaps'));
      const codes = [...new Set([...into.keys()].map(prefix => Math.floor(prefix / 1_000)))];
      const { rows } = await merging.query<{ id: number }>(
        statement('feeds/register_feed', { name: 'bench', kind: 'dnc', definition: '{}', as_of: null }),
      );
      const told = codes.map(() => EXCHANGES * A_PREFIX);
      await merging.query(
        statement('contacts/write_areas', {
          area_codes: codes,
          editions: codes.map(() => '2026-11-01'),
          numbers: told,
          feed_id: rows[0]!.id,
          run_id: 1,
        }),
      );
    });
  });
  await pool.query('vacuum analyze dnc_numbers');
  return { read, write };
}

/**
 * The list's lines of ten digits in chunks of a megabyte, which can split a line. Each number takes about 11
 * bytes, 2.7 GB in total.
 */
async function* lines(areas: number): AsyncGenerator<Uint8Array> {
  const random = createRandom(31);
  const templates = Array.from({ length: 16 }, () => suffixes(random));
  let [parts, bytes]: [Buffer[], number] = [[], 0];
  for (let area = 0; area < areas; area++) {
    for (let exchange = 0; exchange < EXCHANGES; exchange++) {
      const block = Buffer.from(templates[(area + exchange) % 16]!);
      const digits = Buffer.from(String(prefixOf(area, exchange)));
      for (let at = 0; at < block.length; at += 11) digits.copy(block, at);
      parts.push(block);
      bytes += block.length;
      if (bytes < 2 ** 20) continue;
      const chunk = Buffer.concat(parts);
      yield chunk.subarray(0, 2 ** 20 - 5);
      parts = [chunk.subarray(2 ** 20 - 5)];
      bytes = parts[0]!.length;
    }
  }
  yield Buffer.concat(parts);
}

/** 1,000 lines, each with the last four digits of a different number. */
function suffixes(random: Random): Buffer {
  const text = Array.from(
    { length: A_PREFIX },
    (_, i) => `000000${String(i * 10 + between(random, 0, 9)).padStart(4, '0')}\n`,
  );
  return Buffer.from(text.join(''));
}

type Times = { asked: number[]; nothing: number[] };

/** Also times an empty statement after each lookup, to show how busy the machine is. */
async function lookUp(pool: TestDb, areas: number, times: number): Promise<Times> {
  const database = pool.forApi();
  const random = createRandom(6);
  const taken: Times = { asked: [], nothing: [] };
  for (let i = -50; i < times; i++) {
    const numbers = Array.from({ length: 6 }, () => {
      const prefix = prefixOf(between(random, 0, areas - 1), between(random, 0, EXCHANGES - 1));
      return `${prefix}${String(between(random, 0, 9_999)).padStart(4, '0')}`;
    });
    const asked = await timed(() => database.run('contacts/look_up_numbers', { numbers }));
    const nothing = await timed(() => pool.query('select 1'));
    if (i < 0) continue;
    taken.asked.push(asked);
    taken.nothing.push(nothing);
  }
  return taken;
}

const percentile99 = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
