import { join } from 'node:path';
import { stringify } from 'yaml';
import { parseFeed } from '../../workers/ingest/load-feeds.ts';
import { dropEverywhere, spreadOver } from '../support/cluster.ts';
import { ingest as runRoll } from '../support/ingest.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { rollFeed } from './generate/feed-files.ts';
import { writeRoll } from './generate/roll.ts';

const PARCELS = 200_000;
const ROUNDS = 3;
const MAX_RATIO = 1.25;

/**
 * Measures the first ingestion of a roll into a database distributed over a Citus cluster (TEST_CITUS_URL is
 * its coordinator), compared with the same ingestion into a plain database on the coordinator's server. The
 * two take turns, and the results are medians.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const coordinator = process.env.TEST_CITUS_URL;
  if (coordinator === undefined) {
    options.note('  without TEST_CITUS_URL there is no cluster to measure');
    return [];
  }
  const parcels = options.quick ? 3_000 : PARCELS;
  const roll = join(options.folder, 'roll.ndgeojson');
  await writeRoll(roll, { parcels, seed: 1 });
  const feed = parseFeed(stringify(rollFeed('bench-roll', roll)), join(options.folder, 'feed.yaml'));
  const times = { plain: [] as number[], cluster: [] as number[] };
  for (let round = 1; round <= (options.quick ? 1 : ROUNDS); round++) {
    for (const kind of ['plain', 'cluster'] as const) {
      let made = '';
      await withBenchDatabase({ ...options, serverUrl: coordinator }, async (url, pool) => {
        const name = new URL(url).pathname.slice(1);
        if (kind === 'cluster') await spreadOver(coordinator, name, 32);
        times[kind].push(
          await timed(async () => {
            const { status, counts } = await runRoll(pool, feed);
            if (status !== 'merged' || counts.new !== parcels)
              throw new Error(`${status}: ${counts.new} new`);
          }),
        );
        made = name;
      });
      if (kind === 'cluster') await dropEverywhere(coordinator, made);
      options.note(`  round ${round}: ${kind} ${Math.round(times[kind].at(-1)!)} ms`);
    }
  }
  return [
    judged(
      {
        name: 'cluster: first ingest',
        reference: "the same on the coordinator's server, plain",
        value: median(times.cluster) / median(times.plain),
        unit: 'x',
        details: {
          parcels,
          'cluster ms': Math.round(median(times.cluster)),
          'plain ms': Math.round(median(times.plain)),
        },
      },
      { most: MAX_RATIO },
    ),
  ];
}
