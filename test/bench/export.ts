import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { to } from 'pg-copy-streams';
import { stringify } from 'yaml';
import { columnsOf } from '../../shared/exports/export-columns.ts';
import type { ExportFormat } from '../../shared/exports/export-request.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { literal } from '../../shared/platform/statements.ts';
import { columnSql } from '../../workers/exports/write-parcels.ts';
import { runFeed } from '../../workers/ingest/ingest-feed.ts';
import { parseFeed } from '../../workers/ingest/load-feeds.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { rollFeed } from './generate/feed-files.ts';
import { DEFAULT_COUNTY, writeRoll } from './generate/roll.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';
import { residentMb, startWorker, stopWorker } from './worker.ts';

const SIZES = { full: { parcels: 100_000, rounds: 3 }, quick: { parcels: 2_000, rounds: 1 } };
const MAX_CSV_RATIO = 3;
const MAX_PARQUET_RATIO = 1.5;
const MAX_GPKG_RATIO = 2.5;
const MAX_MAIL_RATIO = 1.2;
const MAX_API_MB = 60;
/**
 * Polls only as often as a patient client would, because each request takes processor time away from the
 * export.
 */
const CHECK_MS = 100;

/**
 * Exports a county with all columns, and measures the time from the order to the last byte. The API and the
 * worker have their own processes, and the company has no billed rows yet, so that every row is recorded and
 * billed. The time is compared with a COPY of the same columns, and with the GeoParquet library writing all
 * rows from memory. Also exports the county as a list in both layouts, and, if ogr2ogr is installed, as a
 * GeoPackage.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const { parcels, rounds } = options.quick ? SIZES.quick : SIZES.full;
  const roll = join(options.folder, 'export-roll.ndgeojson');
  options.note(`  ingesting a roll of ${parcels} parcels`);
  await writeRoll(roll, { parcels, seed: 3 });
  const feed = parseFeed(stringify(rollFeed('bench-roll', roll)), join(options.folder, 'feed.yaml'));
  return withBenchDatabase(options, async (url, pool) => {
    const log = createLogger({ LOG_LEVEL: 'silent' }, 'bench');
    const signal = new AbortController().signal;
    await runFeed(
      { db: pool, log, signal, env: process.env, progress: () => {} },
      { feed, jobId: null, requestedBy: 'bench', force: false, sources: {} },
    );
    await pool.query('vacuum analyze');
    const worker = await startWorker(url);
    try {
      return await withServers(url, ['plat'], async ({ plat }, processes) => {
        const ask = orderer(plat, pool);
        const idleMb = await currentMb(processes.plat);
        const csv = { ours: [] as number[], copy: [] as number[] };
        const parquet = { ours: [] as number[], reference: [] as number[] };
        let written: Buffer = Buffer.alloc(0);
        let bytes = 0;
        for (let round = -1; round < rounds; round++) {
          const ours = await timed(async () => {
            bytes = (await ask('csv')).length;
          });
          const copy = await timed(() => copyCounty(pool));
          const made = await timed(async () => {
            written = await ask('geoparquet');
          });
          const inMemory = await writeInMemory(written);
          options.note(
            `  round ${round}: CSV ${Math.round(ours)} ms, COPY ${Math.round(copy)}; GeoParquet ${Math.round(made)} ms, in memory ${Math.round(inMemory)}`,
          );
          // The warm-up rounds let the JIT compile both programs.
          if (round < 0) continue;
          csv.ours.push(ours);
          csv.copy.push(copy);
          parquet.ours.push(made);
          parquet.reference.push(inMemory);
        }
        const mail = await measureMail(plat, pool, options, rounds);
        const gpkg = await measureGeoPackage(ask, options, rounds);
        const peakMb = await residentMb(processes.plat);
        const name = `${parcels.toLocaleString('en-US')} parcels in all columns`;
        return [
          judged(
            {
              name: `CSV of ${name}, from the order to the last byte`,
              reference: 'COPY (select …) TO of the same columns',
              value: median(csv.ours) / median(csv.copy),
              unit: 'x',
              details: {
                ms: Math.round(median(csv.ours)),
                'reference ms': Math.round(median(csv.copy)),
                bytes,
              },
            },
            { most: MAX_CSV_RATIO },
          ),
          judged(
            {
              name: `GeoParquet of ${name}, from the order to the last byte`,
              reference: 'hyparquet-writer with the same rows in memory',
              value: median(parquet.ours) / median(parquet.reference),
              unit: 'x',
              details: {
                ms: Math.round(median(parquet.ours)),
                'reference ms': Math.round(median(parquet.reference)),
                bytes: written.length,
              },
            },
            { most: MAX_PARQUET_RATIO },
          ),
          mail,
          ...gpkg,
          judged(
            {
              name: 'memory of the API above idle meanwhile',
              reference: '',
              value: peakMb - idleMb,
              unit: 'MB',
              details: { idle: Math.round(idleMb), peak: Math.round(peakMb) },
            },
            { most: MAX_API_MB },
          ),
        ];
      });
    } finally {
      await stopWorker(worker);
    }
  });
}

/** Orders a file for a new company, waits for it, and reads it. */
function orderer(origin: string, pool: TestDb) {
  let companies = 0;
  return async (format: ExportFormat): Promise<Buffer> => {
    const key = await createCaller(pool, `export ${++companies}`);
    return orderFile(origin, key, { filter: { county: DEFAULT_COUNTY }, format });
  };
}

async function orderFile(origin: string, key: string, order: object): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const address = `${origin}/api/public/v1/exports/`;
  let made = await json(await fetch(address, { method: 'POST', headers, body: JSON.stringify(order) }));
  while (made.state === 'queued' || made.state === 'running') {
    await sleep(CHECK_MS);
    made = await json(await fetch(`${address}${made.id}/`, { headers }));
  }
  if (made.state !== 'ready') throw new Error(`The export ended as ${JSON.stringify(made)}.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await fetch(made.url!)).body!) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The reference: ogr2ogr converts the GeoJSON lines of the same order. */
async function measureGeoPackage(
  ask: (format: ExportFormat) => Promise<Buffer>,
  { folder, note }: BenchOptions,
  rounds: number,
): Promise<BenchResult[]> {
  if (spawnSync('ogr2ogr', ['--version']).status !== 0) return [];
  const lines = join(folder, 'county.geojsonl');
  const converted = join(folder, 'county.gpkg');
  await writeFile(lines, await ask('geojsonl'));
  const times = { ours: [] as number[], ogr: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const ours = await timed(() => ask('gpkg'));
    await rm(converted, { force: true });
    const ogr = await timed(() =>
      promisify(execFile)('ogr2ogr', ['-f', 'GPKG', converted, `GeoJSONSeq:${lines}`]),
    );
    note(`  round ${round}: GeoPackage ${Math.round(ours)} ms, ogr2ogr ${Math.round(ogr)} ms`);
    if (round < 0) continue;
    times.ours.push(ours);
    times.ogr.push(ogr);
  }
  return [
    judged(
      {
        name: 'GeoPackage of the same parcels, from the order to the last byte',
        reference: 'ogr2ogr from the GeoJSON lines of the same order',
        value: median(times.ours) / median(times.ogr),
        unit: 'x',
        details: { ms: Math.round(median(times.ours)), 'reference ms': Math.round(median(times.ogr)) },
      },
      { most: MAX_GPKG_RATIO },
    ),
  ];
}

/** A list of the whole county with a letter per parcel, in the `mail` layout and in the `plat` layout. */
async function measureMail(
  origin: string,
  pool: TestDb,
  { note }: BenchOptions,
  rounds: number,
): Promise<BenchResult> {
  const times = { mail: [] as number[], plat: [] as number[] };
  const rows = { mail: 0, plat: 0 };
  for (let round = -1; round < rounds; round++) {
    for (const layout of ['plat', 'mail'] as const) {
      const { key, id } = await makeList(origin, pool, `${layout} ${round}`);
      let file: Buffer = Buffer.alloc(0);
      const time = await timed(async () => {
        file = await orderFile(origin, key, { list_id: id, format: 'csv', layout, only_with_offer: false });
      });
      rows[layout] = file.toString('utf8').trimEnd().split('\r\n').length - 1;
      if (round >= 0) times[layout].push(time);
      note(`  round ${round}: ${layout} layout ${Math.round(time)} ms`);
    }
  }
  if (rows.mail !== rows.plat) throw new Error(`The layouts have ${rows.mail} and ${rows.plat} rows.`);
  return judged(
    {
      name: `CSV of a list of ${rows.mail.toLocaleString('en-US')} rows in the mail layout, from the order to the last byte`,
      reference: 'the same rows in the plat layout',
      value: median(times.mail) / median(times.plat),
      unit: 'x',
      details: { ms: Math.round(median(times.mail)), 'reference ms': Math.round(median(times.plat)) },
    },
    { most: MAX_MAIL_RATIO },
  );
}

/** A new company's list of all parcels, with offers. */
async function makeList(origin: string, pool: TestDb, name: string): Promise<{ key: string; id: string }> {
  const key = await createCaller(pool, name);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name, one_per_owner: false, offer: { percent: 30, of: 'market_value' } });
  const { id } = await json(await fetch(`${origin}/api/public/v1/lists/`, { method: 'POST', headers, body }));
  await pool.query('insert into list_rows (list_id, property_id) select $1, property_id from parcels', [id]);
  await pool.query('analyze list_rows');
  return { key, id };
}

async function json(response: Response): Promise<{ id: string; state: string; url: string | null }> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json() as never;
}

/** The reference: PostgreSQL writes the CSV, and this process reads the bytes. */
async function copyCounty(pool: TestDb): Promise<void> {
  const sqlOf = columnSql(new Date());
  const columns = columnsOf({}).flatMap(({ name }) => {
    const sql = sqlOf(name);
    return sql === undefined ? [] : [`${sql} as "${name}"`];
  });
  const text = `copy (
    select ${columns.join(', ')}, ${literal('Generated roll')} as sources
    from parcels p
    left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
    left join parcel_attributes a on a.fips = p.fips and a.property_id = p.property_id
    where p.fips = ${DEFAULT_COUNTY}
    order by p.property_id
  ) to stdout (format csv, header)`;
  const client = await pool.connect();
  try {
    for await (const _chunk of client.query(to(text)));
  } finally {
    client.release();
  }
}

/** The reference: writes the same rows at once, from values in memory. @returns elapsed milliseconds */
async function writeInMemory(written: Buffer): Promise<number> {
  const file = new Uint8Array(written).buffer;
  const { schema: read, key_value_metadata: kvMetadata } = parquetMetadata(file);
  // The reader marks the column as a geometry, and the writer would then expect GeoJSON.
  const schema = read.map(({ logical_type: _type, ...element }) => element);
  const rows = await parquetReadObjects({ file, geoparquet: false });
  const columnData = Object.keys(rows[0]!).map(name => ({ name, data: rows.map(row => row[name]) }));
  return timed(async () => {
    parquetWriteBuffer({ columnData, schema, rowGroupSize: 20_000, kvMetadata: kvMetadata! });
  });
}

async function currentMb({ pid }: ChildProcess): Promise<number> {
  await sleep(2_000);
  if (process.platform !== 'linux') return residentMb({ pid } as ChildProcess);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
