import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contextFor, fixtures, makeZip, readAll, readerOf, values } from './make.ts';

const read = readerOf('access', 'roll.mdb');
const real = (member: string, layer?: string) =>
  readAll({ source: 'access.zip', format: 'access', member, ...(layer && { layer }) }, contextFor(fixtures));

test.each(['access-97.mdb', 'access-2010.accdb'])(
  '%s: a table out of a zip, with days and money as plain values',
  async member => {
    const { rows, bad } = await real(member, 'table1');
    expect(bad).toEqual([]);
    expect(values({ rows, bad })).toEqual([
      { A: 'a', B: 'b', C: 0, D: 0, E: 0, F: 0, G: '1981-12-12', H: '0.0000', I: false },
      {
        A: 'abcdefg',
        B: 'hijklmnop',
        C: 2,
        D: 222,
        E: 333_333_333,
        F: 444.555,
        G: '1974-09-21',
        H: '3.5000',
        I: true,
      },
    ]);
    expect((await real(member, 'Table3')).rows).toEqual([]);
    await expect(real(member)).rejects.toMatchObject({
      code: 'feed_format',
      details: { layer: ['Table1', 'Table2', 'Table3', 'Table4'] },
    });
  },
);

test("a file that isn't a database, is cut off, or is too large", async () => {
  for (const bytes of [Buffer.from('PID,OWNER\n'), Buffer.alloc(0), Buffer.alloc(200_000, 1)])
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringContaining('Microsoft Access'),
    });
  read.folder.put('zipped.zip', makeZip({ 'x.mdb': readFileSync(`${fixtures}access.zip`) }));
  const bounded = contextFor(read.folder.path, { limits: { accessBytes: 1_000 } });
  await expect(readAll({ source: 'zipped.zip', format: 'access' }, bounded)).rejects.toThrow(
    / 1000 bytes.*CSV/,
  );
});
