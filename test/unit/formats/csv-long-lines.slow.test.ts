import { expect, test } from 'vitest';
import { readCsv } from '../../../workers/formats/csv.ts';
import { memoryInUse } from '../../support/memory.ts';
import { readChunks, values } from './make.ts';

test('lines of 50 MB are skipped in bounded memory', async () => {
  const mb = Buffer.alloc(2 ** 20, 'x');
  let most = 0;
  const before = memoryInUse();
  const found = await readChunks(
    readCsv,
    async function* () {
      yield Buffer.from('A,B\n');
      for (let row = 0; row < 2; row++) {
        for (let i = 0; i < 50; i++) {
          yield mb;
          if (i % 25 === 24) most = Math.max(most, memoryInUse() - before);
        }
        yield Buffer.from(',2\n');
      }
      yield Buffer.from('1,2\n');
    },
    { format: 'csv' },
  );
  expect(values(found)).toEqual([{ A: '1', B: '2' }]);
  expect(found.bad.map(({ reason, raw }) => [reason, raw.length])).toEqual(
    Array(2).fill(['row_too_long', 64 * 1024 + 1]),
  );
  expect(most).toBeLessThan(8 * 2 ** 20);
});
