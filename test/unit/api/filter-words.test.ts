import { expect, test } from 'vitest';
import { chipsOf } from '../../../api/pages/parts/filter-words.ts';

const words = (query: string): string[] =>
  chipsOf(new URL(`http://plat.example/data?county=33019&${query}`)).map(chip => chip.words);

test('an active filter is described with its unit, and both bounds of a range as one', () => {
  expect(words('acres_min=5&acres_max=20')).toEqual(['5 – 20 acres']);
  expect(words('wetlands_percent_max=5')).toEqual([expect.stringMatching(/^Wetlands\b.*\b5%/)]);
  expect(words('road_frontage_min=1200')).toEqual([expect.stringMatching(/frontage\b.*\b1,200 ft/)]);
  expect(words('last_sale_price_max=90000')).toEqual([expect.stringMatching(/\$90,000/)]);
  expect(words('last_sale_date_min=20250131')).toEqual([expect.stringMatching(/\b2025\b/)]);
  expect(words('wetlands_percent_max=wet')).toEqual([expect.stringMatching(/^Wetlands\b.*\bwet$/)]);
});
