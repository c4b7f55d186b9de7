import { describe, expect, test } from 'vitest';
import type { Meanings } from '../../../shared/feeds/file-feeds.ts';
import { meaningsOf, withMeanings } from '../../../workers/setup/correct-suggestions.ts';

const sample = (values: readonly unknown[]) => ({ columns: [{ name: 'USE', values }], acres: [] });
const USES = sample(['VAC', 'RES', 'res ', null, 'RES', 'COM']);
const SPEC = { column: 'USE' };
const says = (values: Record<string, string>, otherwise: Meanings['otherwise'] = ''): Meanings => ({
  column: 'USE',
  values,
  otherwise,
});

describe('the values of a flag', () => {
  test('are listed with their current meanings, most frequent first', () => {
    expect(meaningsOf('vacant', SPEC, USES)).toEqual({
      kind: 'flag',
      column: 'USE',
      values: [
        { text: 'RES', count: 3, means: '' },
        { text: 'COM', count: 1, means: '' },
        { text: 'VAC', count: 1, means: '' },
      ],
      others: 0,
      otherwise: '',
    });
    const given = { column: 'USE', values: { VAC: true }, otherwise: false };
    const shown = meaningsOf('vacant', given, USES)!;
    expect([shown.values.map(({ means }) => means), shown.otherwise]).toEqual([
      ['false', 'false', 'true'],
      'false',
    ]);
    expect(meaningsOf('vacant', SPEC, sample(['Y', 'N']))!.values.map(({ means }) => means)).toEqual([
      'false',
      'true',
    ]);
  });

  test('become the `values` of the feed, and only those that the others do not say', () => {
    const means = (values: Record<string, string>, otherwise?: Meanings['otherwise']) =>
      withMeanings('vacant', SPEC, says(values, otherwise), USES);
    expect(means({ RES: 'false', COM: 'false', VAC: 'true' })).toEqual({
      column: 'USE',
      values: { RES: false, COM: false, VAC: true },
      otherwise: null,
    });
    expect(means({ RES: 'false', COM: '', VAC: 'true' }, 'false')).toEqual({
      column: 'USE',
      values: { COM: null, VAC: true },
      otherwise: false,
    });
  });

  test('that already read as yes and no need no mapping', () => {
    const flags = sample(['Y', 'N']);
    expect(withMeanings('vacant', SPEC, says({ Y: 'true', N: 'false' }), flags)).toEqual(SPEC);
    expect(withMeanings('vacant', SPEC, says({ Y: 'false', N: 'true' }), flags)).toEqual({
      column: 'USE',
      values: { Y: false, N: true },
      otherwise: null,
    });
    // Nothing was chosen: what cannot be read stays a finding of the check.
    expect(withMeanings('vacant', SPEC, says({ RES: '', COM: '', VAC: '' }), USES)).toEqual(SPEC);
  });

  test('beyond 30 are counted', () => {
    const many = sample(Array.from({ length: 40 }, (_, n) => `U${n}`));
    const { values, others } = meaningsOf('vacant', SPEC, many)!;
    expect([values.length, others]).toEqual([30, 10]);
    expect(meaningsOf('land_use_code', SPEC, many)).toBeNull();
  });
});

test('a code can be recoded to different text', () => {
  const meant = withMeanings('land_use_code', SPEC, says({ VAC: 'Vacant land', RES: '' }), USES);
  expect(meant).toEqual({ column: 'USE', values: { VAC: 'Vacant land' } });
  expect(meaningsOf('land_use_code', meant, USES)!.values).toContainEqual({
    text: 'VAC',
    count: 1,
    means: 'Vacant land',
  });
  expect(withMeanings('land_use_code', meant, says({ VAC: '', RES: '' }), USES)).toEqual(SPEC);
});

test('meanings of another column, and of fields that have none, say nothing', () => {
  const other = { ...says({ VAC: 'true' }), column: 'OTHER' };
  expect(withMeanings('vacant', SPEC, other, USES)).toBe(SPEC);
  expect(meaningsOf('owner_name', SPEC, USES)).toBeNull();
  expect(meaningsOf('vacant', { columns: ['USE', 'B'] }, USES)).toBeNull();
});
