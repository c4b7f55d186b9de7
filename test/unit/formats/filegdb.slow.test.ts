import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPromise } from 'yauzl';
import { INSTALLED_GDAL, readWith } from '../../../workers/formats/filegdb.ts';
import { newOutput, takeBatch } from '../../../workers/formats/row-batch.ts';
import { openSource } from '../../../workers/formats/source.ts';
import { contextFor, fixtures, makeZip, type ReadAll, readAll, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const read = (source: string, layer?: string, more: Partial<typeof context> = {}) =>
  readAll({ source, format: 'filegdb', ...(layer && { layer }) }, { ...context, ...more });

/** The files of the real geodatabase. */
const files: Record<string, Buffer> = {};
const zip = await openPromise(`${fixtures}washington.gdb.zip`);
for await (const entry of zip.eachEntry()) {
  if (entry.fileName.endsWith('/')) continue;
  const chunks: Buffer[] = [];
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  files[entry.fileName.slice('washington.gdb/'.length)] = Buffer.concat(chunks);
}
const under = (path: string) =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [path + name, bytes]));

function putFolder(name: string, over: Record<string, Buffer> = {}): string {
  mkdirSync(join(folder.path, name));
  for (const [file, bytes] of Object.entries({ ...files, ...over }))
    writeFileSync(join(folder.path, name, file), bytes);
  return name;
}

const inFeet = ({ rows }: ReadAll) =>
  rows.map(({ values, geometry }) => [
    values.id,
    (geometry as { coordinates: number[][][][] }).coordinates[0]![0]![0]!.map(n => n.toFixed(6)),
  ]);
const FIRST = ['1-1', ['-72.124070', '43.242420']];

describe('the real parcels', () => {
  test('are read from a folder and from a ZIP, with or without the folder, and leave nothing behind', async () => {
    folder.put('bare.zip', makeZip(files));
    folder.put(
      'two.zip',
      makeZip({ ...under('in/a.gdb/'), ...under('b.gdb/'), 'readme.txt': Buffer.from('x') }),
    );
    const { rows, bad } = await read('bare.zip');
    expect(bad).toEqual([]);
    expect(rows).toHaveLength(12);
    expect(inFeet({ rows, bad })[0]).toEqual(FIRST);
    await expect(read('two.zip')).rejects.toThrow(/2 files.*in\/a.gdb, b.gdb/);
    const named = readAll({ source: 'two.zip', format: 'filegdb', member: 'b.gdb', layer: 'ROLL' }, context);
    expect((await named).rows).toHaveLength(25);
    await expect(read(putFolder('lots.gdb'), 'roads')).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/"roads".*parcels, roll/),
    });
    expect(readdirSync(context.tmpDir)).toEqual([]);
  });

  test('are read from tables of the version with 64-bit ids', async () => {
    const tables = Object.entries(files).filter(([name]) => name.endsWith('.gdbtable'));
    const newer = tables.map(([name, bytes]) => {
      const copy = Buffer.from(bytes);
      copy.writeInt32LE(4, 0);
      return [name, copy] as const;
    });
    expect((await read(putFolder('newer.gdb', Object.fromEntries(newer)))).rows).toHaveLength(12);
  });

  const hasGdal = (() => {
    try {
      return execFileSync('ogrinfo', ['--version']).length > 0;
    } catch {
      return false;
    }
  })();

  test.skipIf(!hasGdal)('the installed GDAL reads the same', async () => {
    const source = await openSource('lots.gdb', { extensions: ['.gdb'], folderHolds: 'gdb' }, context);
    const output = newOutput(undefined);
    const spec = { source: 'lots.gdb', format: 'filegdb' } as const;
    for await (const _ of readWith(INSTALLED_GDAL, { source, spec, output, context }));
    const { rows } = takeBatch(output);
    expect(inFeet({ rows, bad: [] })[0]).toEqual(FIRST);
    expect(rows).toHaveLength(12);
  });
});

describe('unreadable files', () => {
  test.each([
    ['a folder of other files', 'other', { 'x.csv': 'a' }, 'feed_source', /\bother /],
    ['a broken catalogue', 'broken.gdb', { 'a00000001.gdbtable': 'xx' }, 'feed_format', /\bbroken\.gdb /],
  ])('%s', async (_, name, content, code, message) => {
    mkdirSync(join(folder.path, name));
    for (const [file, text] of Object.entries(content)) writeFileSync(join(folder.path, name, file), text);
    const found = read(name);
    await expect(found).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    // GDAL names files of its own source, where it was built.
    await expect(found).rejects.not.toThrow(/\.cpp|\/home\//);
  });

  test("a compressed one says so, unless the requested layer isn't compressed", async () => {
    const files = { 'a00000009.gdbtable.cdf': Buffer.from('CDF'), 'a00000001.gdbtable': Buffer.alloc(40) };
    mkdirSync(join(folder.path, 'cdf.gdb'));
    for (const [file, bytes] of Object.entries(files))
      writeFileSync(join(folder.path, 'cdf.gdb', file), bytes);
    const mixed = putFolder('mixed.gdb', { 'a0000000c.cdf': Buffer.from('CDF') });
    for (const source of ['cdf.gdb', mixed])
      await expect(read(source)).rejects.toMatchObject({
        code: 'feed_format',
        message: expect.stringMatching(/CDF.*Uncompress/),
      });
    expect((await read(mixed, 'roll')).rows).toHaveLength(25);
  });

  test("a truncated table, a zip bomb, a GDAL that is missing or doesn't respond", async () => {
    const cut = putFolder('cut.gdb', {
      'a00000009.gdbtable': files['a00000009.gdbtable']!.subarray(0, 2_000),
    });
    await expect(read(cut)).rejects.toMatchObject({ name: 'PlatError' });
    folder.put('bomb.gdb.zip', readFileSync(`${fixtures}washington.gdb.zip`));
    await expect(read('bomb.gdb.zip', undefined, { limits: { expandedBytes: 10_000 } })).rejects.toThrow(
      / 10000 bytes/,
    );
    const source = await openSource('lots.gdb', { extensions: ['.gdb'], folderHolds: 'gdb' }, context);
    const spec = { source: 'lots.gdb', format: 'filegdb' } as const;
    const by = (program: string, args: string[], limits = {}) =>
      readWith(
        { ...INSTALLED_GDAL, list: () => ({ program, args }) },
        { source, spec, output: newOutput(undefined), context: { ...context, limits } },
      ).next();
    // What GDAL lists, and writes, of multipatches that are made of triangles.
    const towers = 'Layer name: towers\nGeometry: Unknown (any)\nFeature Count: 1\n';
    const tower = '{"type":"Feature","properties":{"id":1},"geometry":null}\n';
    const printing = (text: string) => () => ({
      program: process.execPath,
      args: ['-e', `process.stdout.write(${JSON.stringify(text)})`],
    });
    await expect(
      readWith(
        { ...INSTALLED_GDAL, list: printing(towers), rows: printing(tower) },
        { source, spec, output: newOutput(undefined), context },
      ).next(),
    ).rejects.toThrow(/towers.*multipatch/i);
    await expect(by('no-such-program', [])).rejects.toThrow(/gdal3\.js.*ogr2ogr/);
    await expect(
      by(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { readerStartMs: 300 }),
    ).rejects.toThrow(/\b0\.3 s\b/);
  });
});
