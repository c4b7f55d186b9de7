// Calls of a program that has installed the client. The compiler must reject every line that is wrong.
import { Budget, connect, pages, rows, unwrap, verifyWebhook } from 'plat-client';

const plat = connect({ baseUrl: 'https://plat.example.com', key: 'plat_…', budget: new Budget(500) });

export async function calls(): Promise<(string | number | null | undefined)[]> {
  const page = await plat.POST('/api/public/v1/properties/filter/', {
    body: { county: '33019', acres_min: 5 },
  });
  const acres: number | null | undefined = page.data?.results[0]?.acres;

  const search = await plat.GET('/api/public/v1/properties/search/', {
    params: { query: { fips: '33019', apn: '000015-000042-000000' } },
  });

  const id = { property_id: 3301900001047 };
  const value = await unwrap(
    plat.GET('/api/public/v1/properties/{property_id}/ai-comp-value/', {
      params: { path: id, query: { explain: true } },
    }),
  );
  const low: number | undefined = value.explanation?.low_price;

  const found: string[] = [];
  for await (const comp of rows(at =>
    plat.GET('/api/public/v1/comps/', {
      params: { query: { point: [-72.1, 43.18], dist: 5_000, status: ['SOLD', 'PENDING'], ...at } },
    }),
  ))
    found.push(comp.id);

  for await (const { results, next_cursor } of pages(at =>
    plat.GET('/api/public/v1/changes/', { params: { query: { fips: '33019', ...at } } }),
  ))
    found.push(`${results[0]?.seq} ${next_cursor}`);

  const deal = await plat.PATCH('/api/public/v1/deal-flow/listings/{id}/', {
    params: { path: { id: '5f0c2a4e-3b1d-4e8f-9a67-1c2d3e4f5a6b' } },
    body: { status: 'offer_accepted', purchase_price: 9_500, price: null },
  });

  const { type } = await verifyWebhook('{}', new Headers(), { secret: 'whsec_…' });

  // @ts-expect-error a boolean isn't text
  plat.GET('/api/public/v1/deal-flow/listings/', { params: { query: { explain: 'true' } } });
  // @ts-expect-error a number isn't text
  plat.POST('/api/public/v1/properties/filter/', { body: { county: '33019', acres_min: '5' } });
  // @ts-expect-error the county is required
  plat.GET('/api/public/v1/properties/search/', { params: { query: { apn: '1' } } });
  // @ts-expect-error a field that doesn't exist
  page.data?.results[0]?.acreage;

  return [acres, search.data?.count, low, ...found, deal.data?.listing_grade, type, page.error?.error.code];
}
