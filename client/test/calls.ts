// Typical calls, which are only compiled. The compiler must reject every line that is wrong on purpose.
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

const client = createClient<paths>({
  baseUrl: 'https://plat.example.com',
  headers: { Authorization: 'Bearer plat_…' },
});

export async function calls(): Promise<(string | number | null | undefined)[]> {
  const page = await client.POST('/api/public/v1/properties/filter/', {
    body: { county: '33019', acres_min: 5 },
  });
  const acres: number | null | undefined = page.data?.results[0]?.acres;

  const search = await client.GET('/api/public/v1/properties/search/', {
    params: { query: { fips: '33019', apn: '000015-000042-000000' } },
  });

  const id = { property_id: 3301900001047 };
  const value = await client.GET('/api/public/v1/properties/{property_id}/ai-comp-value/', {
    params: { path: id, query: { explain: true } },
  });
  const low: number | undefined = value.data?.explanation?.low_price;

  const comps = await client.GET('/api/public/v1/comps/', {
    params: { query: { point: [-72.1, 43.18], dist: 5_000, status: ['SOLD', 'PENDING'] } },
  });

  const deal = await client.PATCH('/api/public/v1/deal-flow/listings/{id}/', {
    params: { path: { id: '5f0c2a4e-3b1d-4e8f-9a67-1c2d3e4f5a6b' } },
    body: { status: 'offer_accepted', purchase_price: 9_500, price: null },
  });

  // @ts-expect-error a boolean isn't text
  client.GET('/api/public/v1/deal-flow/listings/', { params: { query: { explain: 'true' } } });
  // @ts-expect-error a number isn't text
  client.POST('/api/public/v1/properties/filter/', { body: { county: '33019', acres_min: '5' } });
  // @ts-expect-error the county is required
  client.GET('/api/public/v1/properties/search/', { params: { query: { apn: '1' } } });

  return [
    acres,
    search.data?.count,
    low,
    comps.data?.results[0]?.id,
    deal.data?.listing_grade,
    page.error?.error.code,
  ];
}
