import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_STRUCTURED_CHARS, type Shortened, shorten } from '../../api/mcp/shorten-result.ts';
import { runs } from '../support/runs.ts';

type Fields = Record<string, unknown> & { shortened?: Shortened };

const text = (most: number) => fc.nat(most).map(length => 'é'.repeat(length));

const row = fc.record({
  name: text(40),
  note: text(4_000),
  shape: fc.constantFrom<unknown>(null, { type: 'Polygon' }, { type: 'x'.repeat(6_000) }),
  photos: fc.array(text(80), { maxLength: 5 }),
});

const result: fc.Arbitrary<Record<string, unknown>> = fc.record({
  total: fc.nat(),
  note: text(12_000),
  results: fc
    .tuple(fc.array(row, { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 15 }))
    .map(([rows, times]) =>
      Array.from({ length: rows.length * times }, (_, n) => ({ n, ...rows[n % rows.length] })),
    ),
  sources: fc.array(text(30), { maxLength: 5 }),
});

test('a result fits, names what it omits, and its parts together have all rows once', () => {
  fc.assert(
    fc.property(result, whole => {
      const first = shorten(whole) as Fields;
      if (JSON.stringify(whole).length <= MAX_STRUCTURED_CHARS) {
        expect(first).toBe(whole);
        return;
      }
      const rows: Fields[] = [];
      for (let part = first; ; part = shorten(whole, rows.length)) {
        expect(JSON.stringify(part).length).toBeLessThanOrEqual(MAX_STRUCTURED_CHARS);
        const { omitted = [], list } = part.shortened ?? {};
        for (const [name, value] of Object.entries(whole))
          if (part[name] === undefined) expect(omitted).toContain(name);
          else if (name !== 'results') expect(part[name]).toEqual(value);
        const shown = part.results as Fields[];
        for (const [i, one] of shown.entries()) {
          const original = (whole.results as Fields[])[rows.length + i]!;
          for (const [name, value] of Object.entries(original))
            if (one[name] === undefined) expect(omitted).toContain(name);
            else expect(one[name]).toEqual(value);
        }
        if (list !== undefined)
          expect(list).toEqual({
            name: 'results',
            skipped: rows.length,
            rows: shown.length,
            of: (whole.results as Fields[]).length,
          });
        rows.push(...shown);
        if (list === undefined || list.skipped + list.rows >= list.of) break;
        expect(shown.length).toBeGreaterThan(0);
      }
      expect(rows.map(({ n }) => n)).toEqual((whole.results as Fields[]).map(({ n }) => n));
    }),
    { numRuns: runs(60) },
  );
});
