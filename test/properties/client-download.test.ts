import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { downloadParts } from '../../client/src/cli/download.ts';
import { testFolder } from '../support/folder.ts';
import { serve } from '../support/http-server.ts';
import { runs } from '../support/runs.ts';

const folder = testFolder();
let parts: Buffer[] = [];
/** How many bytes of each response arrive before the connection breaks off. */
let cuts: (number | undefined)[] = [];
const server = await serve((request, response) => {
  const part = parts[Number(request.url!.slice(1)) - 1]!;
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const cut = cuts.shift();
  response.writeHead(from > 0 ? 206 : 200, { 'Content-Length': part.length - from });
  if (cut === undefined) return response.end(part.subarray(from));
  response.write(part.subarray(from, from + cut), () => response.destroy());
});
afterAll(server.close);

const described = () =>
  parts.map((part, at) => ({
    n: at + 1,
    url: `/${at + 1}`,
    bytes: part.length,
    sha256: createHash('sha256').update(part).digest('hex'),
  }));

test('a file is whole, however often it breaks off, and wherever an earlier run stopped', async () => {
  const bytes = fc.uint8Array({ maxLength: 3_000 }).map(array => Buffer.from(array));
  const property = fc.asyncProperty(
    fc.array(bytes, { minLength: 1, maxLength: 4 }),
    fc.nat(12_000),
    fc.array(fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }), { maxLength: 4 }),
    async (given, stopped, given_cuts) => {
      parts = given;
      cuts = given_cuts;
      const whole = Buffer.concat(parts);
      const path = join(folder, randomUUID());
      writeFileSync(path, whole.subarray(0, stopped));
      await downloadParts(described(), path, server.origin);
      expect(readFileSync(path).equals(whole)).toBe(true);
    },
  );
  await fc.assert(property, { numRuns: runs(60) });
});

test('a damaged part is removed, and the parts before it are kept', async () => {
  parts = [Buffer.from('first'), Buffer.from('second')];
  cuts = [];
  const path = join(folder, 'damaged');
  const wrong = described().map(part => (part.n === 2 ? { ...part, sha256: 'other' } : part));
  await expect(downloadParts(wrong, path, server.origin)).rejects.toThrow(/Part 2/);
  expect(readFileSync(path, 'utf8')).toBe('first');
  await downloadParts(described(), path, server.origin);
  expect(readFileSync(path, 'utf8')).toBe('firstsecond');
});
