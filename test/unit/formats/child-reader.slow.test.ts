import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { readChildOutput } from '../../../workers/formats/child-output.ts';
import type { InputSpec } from '../../../workers/formats/format-input.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import { mutated, seedFiles } from '../../mutate/mutations.ts';
import { collect, contextFor, fixtures, LIBRARY_FORMATS, readAll, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const seeds = seedFiles();
const formats = Object.keys(seeds) as (keyof typeof seeds)[];

function put(format: keyof typeof seeds, name: string, bytes: Buffer): InputSpec {
  mkdirSync(join(folder.path, format), { recursive: true });
  folder.put(join(format, name), bytes);
  return { source: `${format}/${name}`, format, ...seeds[format].spec };
}

/** Processes that read a file for this one. */
const children = () =>
  execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)])
    .toString()
    .split('\n')
    .filter(args => args.includes('reader-child'));

describe('a reader in a separate process', () => {
  test.each(LIBRARY_FORMATS)('%s: the rows equal those of the reader', async format => {
    const spec = put(format, seeds[format].name, seeds[format].bytes);
    const seen: [number, number | null][] = [];
    const over = {
      onBytes: (read: number, total: number | null) => seen.push([read, total]),
    };
    const rows = await collect(readInput(spec, contextFor(folder.path, over)));
    expect(rows.rows.length).toBeGreaterThan(1);
    expect(rows).toEqual(await readAll(spec, contextFor(folder.path)));
    expect(seen.at(-1)![0]).toBe(seen.at(-1)![1]);
  });

  test('several files are one source, with continuous row numbers', async () => {
    const { parquet } = seeds;
    put('parquet', 'b.parquet', parquet.bytes);
    put('parquet', parquet.name, parquet.bytes);
    const spec: InputSpec = { source: [`parquet/${parquet.name}`, 'parquet/b.parquet'], format: 'parquet' };
    const { rows } = await collect(readInput(spec, contextFor(folder.path)));
    expect(rows.map(row => row.rowNo)).toEqual(rows.map((_, i) => i + 1));
  });

  test('stopping early, or on a signal, leaves no process and no file', async () => {
    const spec = put('geopackage', 'half.gpkg', seeds.geopackage.bytes);
    const context = contextFor(folder.path);
    const half = readInput(spec, context);
    await half.next();
    await half.return(undefined);
    const told = new AbortController();
    const aborted = readInput(spec, { ...context, signal: told.signal });
    await aborted.next();
    told.abort(new Error('enough'));
    await expect(collect(aborted)).rejects.toThrow('enough');
    expect(children()).toEqual([]);
    expect(readdirSync(context.tmpDir)).toEqual([]);
  });
});

describe('a damaged file leads to a message that names it', () => {
  test.each(readdirSync(`${fixtures}damaged`))('%s', async name => {
    copyFileSync(`${fixtures}damaged/${name}`, join(folder.path, name));
    const format = formats.find(each => name.startsWith(each))!;
    const spec = { source: name, format };
    await expect(
      collect(readInput(spec, contextFor(folder.path, { limits: { readerIdleMs: 2_000 } }))),
    ).rejects.toMatchObject({
      code: 'feed_source',
      retryable: false,
      message: expect.stringContaining(name),
    });
    expect(children()).toEqual([]);
  });

  test.each(formats)('%s: ten files with errors lead to rows or to messages', async format => {
    const { name, bytes } = seeds[format];
    for (let seed = 1; seed <= 10; seed++) {
      const spec = put(format, name, mutated(bytes, seed));
      const outcome = await readAll(spec, contextFor(folder.path)).catch(error => error);
      if (outcome instanceof Error)
        expect(outcome).toMatchObject({ name: 'PlatError', code: expect.stringMatching(/^feed_/) });
      else expect(outcome.rows).toBeInstanceOf(Array);
    }
  });
});

describe('memory', () => {
  const guard = pathToFileURL(join(rootDir, 'workers/formats/child-guard.mjs')).href;
  const start = `import { guardProcess, writeAll } from ${JSON.stringify(guard)}; guardProcess(120); writeAll(Buffer.from('a'));`;

  test('a reader that needs more memory than one file may use is ended, even outside of the heap', async () => {
    const fill = 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1));';
    const command = { program: process.execPath, args: ['--input-type=module', '-e', start + fill] };
    const failure = (code: number | string, said: string) => new Error(`${code} ${said}`);
    const output = readChildOutput(command, 'big.bin', contextFor(folder.path), failure);
    await expect(output.next()).resolves.toMatchObject({ done: false });
    await expect(output.next()).rejects.toMatchObject({
      code: 'feed_source',
      retryable: false,
      message: expect.stringMatching(/\bbig\.bin .*memory/),
    });
  });

  test('a GeoPackage whose columns are computed, or exceed the row limit, is read without them', async () => {
    const path = join(folder.path, 'blobs.gpkg');
    writeFileSync(path, seeds.geopackage.bytes);
    const db = new sqlite.Database(path);
    const [{ name }] = db.all('select table_name as name from gpkg_contents') as [{ name: string }];
    for (const trigger of db.all("select name from sqlite_master where type = 'trigger'") as {
      name: string;
    }[])
      db.run(`drop trigger "${trigger.name}"`);
    db.run(`alter table "${name}" add column computed generated always as (zeroblob(900000000)) virtual`);
    db.run(`alter table "${name}" add column stored blob`);
    db.run(`alter table "${name}" add column note text`);
    db.run(`update "${name}" set stored = zeroblob(70000000), note = 'kept' where rowid = 1`);
    db.close();
    const { rows, bad } = await collect(
      readInput({ source: 'blobs.gpkg', format: 'geopackage' }, contextFor(folder.path)),
    );
    expect(bad).toEqual([]);
    expect(rows[0]!.values).toMatchObject({ stored: null, note: 'kept' });
    expect(rows[0]!.values).not.toHaveProperty('computed');
  });
});
