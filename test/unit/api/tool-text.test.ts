import { expect, test } from 'vitest';
import { textOf } from '../../../api/mcp/tool-text.ts';

test("shares of fields don't have the field's unit", () => {
  expect(textOf({ fips: '33019', acres: 2, filled: { acres: 0.9961, building_sqft: 0 } }, {})).toBe(
    'fips: 33019\nacres: 2 acres\nfilled.acres: 0.9961\nfilled.building_sqft: 0',
  );
});

test('rows have their URLs once for parcels, each for webhooks, and not for listings', () => {
  const page = (results: object[]) => textOf({ count: results.length, next: null, results }, {});
  const parcels = [1, 2].map(id => ({ property_id: id, url: `https://plat.example.org/data?parcel=${id}` }));
  expect(page(parcels)).toContain('map: https://plat.example.org/data?parcel=<property_id>');
  expect(page(parcels)).not.toContain('parcel=1');
  const webhooks = ['a', 'b'].map(id => ({ id, url: `https://example.com/${id}` }));
  expect(page(webhooks)).toContain('a | https://example.com/a');
  expect(page([{ address: '1 Main St', price: 5, url: 'https://example.com/1' }])).not.toContain('https');
});
