import { z } from 'zod';
import { notFound, unprocessable, validationError } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { line, REGION_EXAMPLE, type RegionRow, region, toRegion } from '../common/request-schemas.ts';

const PATH = '/api/public/v1/markets/';

/** Larger than any list people page through. Limits the response, which is not paged. */
const MAX_MARKETS = 500;
const MAX_STATUS = 64;

const uuid = z.uuid('must be a UUID');

const savedMarket = z
  .object({
    id: z.uuid().describe('Id of the saved market.'),
    region,
    status: z.string().describe("Your company's label for the market. Can be empty."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'SavedMarket' });

export type SavedMarket = z.output<typeof savedMarket>;

const EXAMPLE: SavedMarket = {
  id: '0b8f3c1e-7a54-4c2b-9d3e-5f6a7b8c9d01',
  region: REGION_EXAMPLE,
  status: 'Watching',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

const common = { tag: 'Saved markets' } as const;

export const listMarkets = defineEndpoint({
  ...common,
  path: PATH,
  operationId: 'list_saved_markets',
  summary: 'List saved markets',
  description: 'Returns the counties and ZIP codes that your company has saved, in pinned order.',
  response: {
    description: 'All saved markets. The list is not paged.',
    schema: z.array(savedMarket),
    example: { summary: 'One market', value: [EXAMPLE] },
  },
  handle: async (_input, { db }, { account }) => {
    const rows = await db.run<MarketRow>('market/list_markets', { account_id: account.id });
    return { body: rows.map(toMarket), tokens: 0 };
  },
});

export const saveMarket = defineEndpoint({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'save_market',
  summary: 'Save a market',
  description:
    `Pins a county or ZIP code to the end of your company's list of up to ${MAX_MARKETS}. Saving a region again ` +
    'returns the same market, in the same position, with the new status if you send one. The call is safe to repeat.',
  body: z
    .strictObject({
      region_id: uuid.describe('The `id` of a region from `GET regions/` or market statistics.'),
      status: line(MAX_STATUS, 'must be text').optional().meta({
        description: 'Your own label, such as Backlog, Watching, or Active.',
        example: 'Watching',
      }),
    })
    .meta({ id: 'NewMarket', example: { region_id: REGION_EXAMPLE.id, status: 'Watching' } }),
  response: {
    status: 201,
    description: 'The saved market.',
    also: {
      200: 'The market was already saved. If the call includes a status, the market now has that status.',
    },
    schema: savedMarket,
    example: { summary: 'A county', value: EXAMPLE },
  },
  errors: { unprocessable: `Your company already has ${MAX_MARKETS} saved markets. Remove one first.` },
  handle: async ({ body }, { db }, { account }) => {
    const saved = await db.transaction(async tx => {
      const [company] = await tx.run<{ id: string }>('market/lock_company', { account_id: account.id });
      const rows = await tx.run<MarketRow & { created: boolean }>('market/save_market', {
        company_id: company!.id,
        region_id: body.region_id,
        status: body.status ?? null,
        limit: MAX_MARKETS,
      });
      return rows[0] ?? refuse(await tx.run('market/find_region_by_id', { region_id: body.region_id }));
    });
    return { status: saved.created ? 201 : 200, body: toMarket(saved), tokens: 0 };
  },
});

function refuse(region: unknown[]): never {
  if (region.length === 0) throw validationError({ region_id: ['is not the id of a region'] });
  throw unprocessable(`Your company already has ${MAX_MARKETS} saved markets. Remove one first.`);
}

export const deleteMarket = defineEndpoint({
  ...common,
  method: 'delete',
  path: `${PATH}{id}/`,
  operationId: 'unsave_market',
  summary: 'Remove a saved market',
  description: "Removes a market from your company's list. The others keep their order.",
  params: z.object({ id: uuid.describe('Id of the saved market.') }),
  response: { status: 204, description: 'The market was removed.' },
  errors: { not_found: 'Your company has no saved market with this id.' },
  handle: async ({ params }, { db }, { account }) => {
    const removed = await db.run('market/delete_market', {
      account_id: account.id,
      market_id: params.id,
    });
    if (removed.length === 0) throw notFound(`Your company has no saved market ${params.id}.`);
    return { body: null, tokens: 0 };
  },
});

type MarketRow = Omit<RegionRow, 'id'> & {
  id: string;
  region_id: string;
  status: string;
  created_at: Date;
  updated_at: Date;
};

function toMarket({ id, region_id, status, created_at, updated_at, ...named }: MarketRow): SavedMarket {
  return {
    id,
    region: toRegion({ ...named, id: region_id }),
    status,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
