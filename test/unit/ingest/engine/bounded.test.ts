import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Db } from '../../../../shared/platform/db.ts';
import { SeenKeys } from '../../../../workers/ingest/engine/row-hash.ts';
import { openRejects, rawText } from '../../../../workers/ingest/engine/stage-rows.ts';

/** Bytes that ArrayBuffers hold outside the heap. */
const buffers = () => process.memoryUsage().arrayBuffers;

test('a million keys fit into 32 MB, few of them are mistaken for another, and every one is found again', () => {
  const before = buffers();
  const seen = new SeenKeys();
  const keys = 1_000_000;
  let repeated = 0;
  for (let n = 0; n < keys; n++) if (seen.add(`33019/${n % 997}-${n}`)) repeated++;
  expect(repeated).toBeLessThan(0.003 * keys);
  expect(buffers() - before).toBeLessThan(34e6);
  for (let n = 0; n < keys; n += 7)
    if (!seen.add(`33019/${n % 997}-${n}`)) throw new Error(`key ${n} was forgotten`);
});

/** A connection whose COPY takes nothing until told to. */
function slowConnection() {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 16 * 1024,
    write(chunk: Buffer, _encoding, done) {
      waiting.push(() => {
        taken += chunk.length;
        done();
      });
    },
  });
  const client = { copy: () => stream } as unknown as Db;
  const takeOne = () => waiting.shift()?.();
  return { client, stream, takeOne, taken: () => taken };
}

const reject = (rowNo: number) => ({
  input: 'roll',
  rowNo,
  field: 'acres',
  reason: 'negative',
  message: "'-1' is negative",
  raw: 'x'.repeat(1_000),
});

test('rejected rows wait for a slow server instead of piling up', async () => {
  const { client, stream, takeOne, taken } = slowConnection();
  const rejects = openRejects(client, 1);
  const drained = vi.fn();
  for (let n = 0; n < 600; n++) rejects.add(reject(n));
  const waiting = rejects.drain().then(drained);
  for (let i = 0; i < 5; i++) await turn();
  expect(drained).not.toHaveBeenCalled();
  expect(stream.writableLength).toBeLessThan(2 * 1024 * 1024);
  for (let i = 0; i < 50 && !drained.mock.calls.length; i++) {
    takeOne();
    await turn();
  }
  await waiting;
  expect(taken()).toBeGreaterThan(256 * 1024);
});

test('a connection that is lost while rejected rows wait for it ends the wait', async () => {
  const { client, stream } = slowConnection();
  const rejects = openRejects(client, 1);
  for (let n = 0; n < 600; n++) rejects.add(reject(n));
  const waiting = rejects.drain();
  stream.destroy(new Error('Connection terminated unexpectedly'));
  await expect(waiting).rejects.toThrow('Connection terminated');
  await expect(rejects.end()).rejects.toThrow('Connection terminated');
});

test('a connection that is lost in between is noticed at the next batch, not at the end of the file', async () => {
  const { client, stream } = slowConnection();
  const rejects = openRejects(client, 1);
  stream.destroy(new Error('Connection terminated unexpectedly'));
  await turn();
  await expect(rejects.drain()).rejects.toThrow('Connection terminated');
});

test('a raw row is kept up to 64 KB, whatever its values', () => {
  expect(rawText({ a: 1n, b: null, c: 'é\u0000' })).toBe('{"a":"1","b":null,"c":"é\\u0000"}');
  expect(rawText({ a: 1 }, { type: 'Point', coordinates: [1, 2] })).toBe(
    '{"a":1,"geometry":{"type":"Point","coordinates":[1,2]}}',
  );
  const long = rawText({ a: 'x'.repeat(1_000_000) });
  expect(long.length).toBeLessThan(66_000);
  expect(long).toMatch(/^\{"a":"x+… \(1000008 characters\)$/);
});
