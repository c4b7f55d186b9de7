import { describe, expect, test } from 'vitest';
import { parseZips, readZips } from '../../../shared/regions/zip-file.ts';

const line = (zip: string, state: string, county: string, lat = '43.17', lon = '-72.1') =>
  ['US', zip, 'Place', state && 'State', state, state && 'County', county, '', '', lat, lon, '4'].join('\t');

describe('the ZIP file', () => {
  test('every ZIP has a county, except those of the armed forces and of the Marshall Islands', () => {
    const { zips, skipped } = readZips();
    expect(zips.length).toBe(40_977);
    expect(skipped).toEqual({ military: 511, abroad: 2 });
    expect(new Set(zips.map(({ zip }) => zip)).size).toBe(zips.length);
  });

  test('the stated county counts, not the point', () => {
    expect(parseZips(line('03280', 'ME', '019')).zips).toEqual([
      { zip: '03280', town: 'Place', fips: 23_019, lon: -72.1, lat: 43.17 },
    ]);
  });

  test('a former county is replaced by that of the point, or the nearest', () => {
    const hartford = line('06103', 'CT', '003', '41.76', '-72.68');
    const atSea = line('06999', 'CT', '001', '40.95', '-73.2');
    const { zips } = parseZips(`${hartford}\n${atSea}\n`);
    expect(zips[0]).toMatchObject({ zip: '06103', fips: 9_110 });
    expect(zips[1]?.zip).toBe('06999');
    expect(Math.floor((zips[1]?.fips ?? 0) / 1000)).toBeOneOf([9, 36]);
  });

  test('a ZIP that appears twice is used once; a fleet post office with the same number is not it', () => {
    const { zips, skipped } = parseZips(
      [line('96863', '', ''), line('96863', 'HI', '003'), line('96863', 'HI', '001')].join('\n'),
    );
    expect(zips).toMatchObject([{ zip: '96863', fips: 15_003 }]);
    expect(skipped).toEqual({ military: 1, abroad: 0 });
  });

  test.each([
    ['a ZIP of four digits', line('3280', 'NH', '019')],
    ['no county anywhere near', line('03280', 'NH', '999', '0', '0')],
  ])('%s is an error that names the line', (_, bad) => {
    expect(() => parseZips(`${line('03280', 'NH', '019')}\n${bad}`)).toThrow(/line 2/);
  });
});
