import { expect, test } from 'vitest';
import { chipsOf } from '../../../api/pages/parts/filter-words.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';

const words = (query: string): string[] =>
  chipsOf(new URL(`http://plat.example/data?county=33019&${query}`)).map(chip => chip.words);

test('an active filter is described with its unit, and both bounds of a range as one', () => {
  expect(words('acres_min=5&acres_max=20')).toEqual(['5 – 20 acres']);
  expect(words('wetlands_percent_max=5')).toEqual([expect.stringMatching(/^Wetlands\b.*\b5%/)]);
  expect(words('road_frontage_min=1200')).toEqual([expect.stringMatching(/frontage\b.*\b1,200 ft/)]);
  expect(words('buildable_acres_min=1&buildable_acres_max=5')).toEqual([
    expect.stringMatching(/^Buildable: 1 ac\b.*\b5 ac$/),
  ]);
  expect(words('building_sqft_min=1200')).toEqual([expect.stringMatching(/\b1,200 sq ft$/)]);
  expect(words('assemblage_acres_min=10')).toEqual([expect.stringMatching(/^Assemblage acres: .*\b10$/)]);
  expect(words('last_sale_price_max=90000')).toEqual([expect.stringMatching(/\$90,000/)]);
  expect(words('last_sale_date_min=20250131')).toEqual([expect.stringMatching(/\b2025\b/)]);
  expect(words('wetlands_percent_max=wet')).toEqual([expect.stringMatching(/^Wetlands\b.*\bwet$/)]);
});

test('every chip with a number has its unit, in the label or after the number', () => {
  for (const { name, label, unit, type, range } of FILTERS) {
    if (unit === undefined || (type !== 'number' && type !== 'integer') || range === undefined) continue;
    const [chip] = words(`${name}=7`);
    const known = { USD: '$7', percent: '7%', feet: '7 ft', 'square feet': '7 sq ft', acres: '7 ac' }[unit];
    const isNamed = label.toLowerCase().includes(unit);
    expect(isNamed ? chip!.toLowerCase() : chip).toContain(isNamed ? unit : known);
  }
});
