import { z } from 'zod';
import {
  addDeal,
  changeDeal,
  type DealChange,
  type DealFields,
  findBoard,
  type Owner,
  removeDeal,
} from '../../../shared/deals/deal-board.ts';
import { DEAL_MONEY, DEAL_STAGES, DEAL_TYPES, MAX_DEALS } from '../../../shared/deals/deal-terms.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { queryFlag } from '../common/request-schemas.ts';
import { DEAL_EXAMPLE, NEW_DEAL_EXAMPLE } from '../examples/examples.ts';
import { type Deal, deal } from './deal-schema.ts';

const PATH = '/api/public/v1/deal-flow/listings/';

const common = { tag: 'Deal flow', path: PATH } as const;
const NO_DEAL = 'Your board has no deal with this id.';

/** Shared by the endpoints for one deal. */
export const dealParams = {
  tag: common.tag,
  path: `${PATH}{id}/`,
  params: z.object({ id: z.uuid('must be a UUID').describe('Id of the deal.') }),
  errors: { not_found: NO_DEAL },
};
const explainQuery = z.strictObject({
  explain: queryFlag('Add `figures`, the numbers behind the grade and the advice.'),
});

/** Accepts text or a number. A number is stored exactly as sent. */
const money = z
  .preprocess(
    value => (typeof value === 'number' ? String(value) : value),
    z
      .string('must be an amount such as "18400.00"')
      .regex(
        /^[0-9]{1,10}(\.[0-9]{1,2})?$/,
        'must be an amount such as "18400.00", with up to 10 digits and up to 2 decimals',
      ),
  )
  .meta({
    description: 'Amount in USD, as decimal text or a number.',
    example: '18400.00',
    override: { type: ['string', 'number'], pattern: '^[0-9]{1,10}(\\.[0-9]{1,2})?$' },
  });
const WRONG_DAY = 'must be a date such as 2026-12-15';
/** PostgreSQL doesn't have a year 0. */
const day = z.iso.date(WRONG_DAY).refine(value => value >= '0001', WRONG_DAY);

const listPrice = money.refine(price => !/^0*(\.0*)?$/.test(String(price)), 'must be greater than 0');
const LIST_PRICE =
  "Your own list price. If there is a live listing, your price applies until the listing's price changes. If there is none, Plat grades the deal with this price and the parcel's acreage until Plat finds a live listing.";

const fields = {
  status: z
    .enum([...DEAL_STAGES, ''], `must be one of ${DEAL_STAGES.join(', ')}, or empty`)
    .optional()
    .describe('Stage on the board.'),
  deal_type: z.enum(DEAL_TYPES).optional().describe('Type of deal.'),
};
/** Fields that null clears. */
const figures: Record<string, z.ZodType> = {
  ...Object.fromEntries(DEAL_MONEY.map(name => [name, money])),
  contract_expiration_date: day,
  closing_date: day,
};
const fieldsBy = (wrap: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(figures).map(([name, schema]) => [name, wrap(schema)]));

const SUBJECTS = ['property_id', 'listing_id', 'listing_url'] as const;

const newDeal = z
  .strictObject({
    property_id: z.int('must be a whole number').min(1).optional().describe('Id of the parcel.'),
    listing_id: z.uuid('must be a UUID').optional().describe('Id of the listing in `comps/`.'),
    listing_url: z
      .url({ protocol: /^https?$/, error: 'must be the http(s) address of a page' })
      .max(2_000, 'must be at most 2,000 characters long')
      .refine(url => !/[\s\p{Cc}\p{Cs}]/u.test(url), 'must be the http(s) address of a page')
      .optional()
      .describe(
        'URL of the listing page. Plat searches the listing feeds for it, or passes it to the listing provider. Plat never opens the page.',
      ),
    ...fields,
    ...fieldsBy(z.optional),
    price: listPrice.optional().describe(LIST_PRICE),
  })
  .superRefine((body, { addIssue }) => {
    const named = SUBJECTS.filter(name => body[name] !== undefined);
    if (named.length === 1) return;
    const message = `exactly one of ${SUBJECTS.join(', ')} is required`;
    for (const name of named.length === 0 ? SUBJECTS : named)
      addIssue({ code: 'custom', path: [name], message });
  })
  .meta({
    id: 'NewDeal',
    example: {
      listing_id: DEAL_EXAMPLE.listing_id,
      status: 'listed',
      deal_type: 'cash_close',
      purchase_price: DEAL_EXAMPLE.purchase_price,
      agent_fee: DEAL_EXAMPLE.agent_fee,
      closing_costs: DEAL_EXAMPLE.closing_costs,
      closing_date: '2026-12-15',
    },
  });

const changedDeal = z
  .strictObject({
    ...fields,
    ...fieldsBy(z.nullish),
    position: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .optional()
      .describe(
        'Position in the column of its stage, starting at 0. Values past the end place the deal at the end. If this is omitted, a deal that moves to another stage goes to the end.',
      ),
    price: listPrice.nullish().describe(`${LIST_PRICE} Null removes it.`),
    advice_held_until: day
      .nullish()
      .describe('Hides the advice until this date. A new `price`, a new stage, or null shows it again.'),
    advice_dismissed: z
      .boolean()
      .optional()
      .describe('Whether to hide the advice until Plat suggests another action or you set a new `price`.'),
  })
  .meta({
    id: 'DealChange',
    description: 'Omitted fields keep their values. Null clears a field.',
    example: { status: 'offer_accepted', position: 0, contract_expiration_date: '2027-01-15', price: null },
  });

export const ownerOf = ({ account, user }: CallContext): Owner => ({
  accountId: account.id,
  userId: user?.id,
});

async function readDeals(
  { db }: Resources,
  call: CallContext,
  id: string | null,
  explain: boolean,
): Promise<Deal[]> {
  const board = await findBoard(db, ownerOf(call));
  if (board === undefined) return [];
  const figures = explain ? FIGURES : '';
  return db.run<Deal>('deals/list_deals', { board_id: board.id, deal_id: id }, { figures });
}

/** An additional column of deals/list_deals. Figures from older versions lack two fields. */
const FIGURES = `,
  jsonb_build_object('size_elasticity', null, 'valuation_problems', '[]'::jsonb) || d.figures as figures`;

async function readDeal(resources: Resources, call: CallContext, id: string, explain = false): Promise<Deal> {
  const [found] = await readDeals(resources, call, id, explain);
  if (found === undefined) throw notFound(NO_DEAL);
  return found;
}

export const listDeals = defineEndpoint({
  ...common,
  operationId: 'list_deal_flow_listings',
  summary: 'List deals',
  description:
    "Returns the deal board of the key's user: the lots for sale with their live listing, grade, and advice, sorted by stage and position. If the account has no user, it has a board of its own.",
  query: explainQuery,
  response: {
    description: `All deals, up to ${MAX_DEALS.toLocaleString('en-US')}. The list is not paged.`,
    schema: z.array(deal),
    example: { summary: 'One deal', value: [DEAL_EXAMPLE] },
  },
  handle: async ({ query: { explain } }, resources, call) => ({
    body: await readDeals(resources, call, null, explain),
    tokens: 0,
  }),
});

const ONE_DEAL = {
  schema: deal,
  example: { summary: 'Get a deal', value: DEAL_EXAMPLE },
} as const;

export const addListing = defineEndpoint({
  ...common,
  method: 'post',
  operationId: 'create_deal_flow_listing',
  summary: 'Add a deal to the board',
  description:
    'Adds a deal by its parcel, its comp, or the URL of its listing page. Returns immediately. Within seconds, Plat searches the listing feeds, then the configured provider, for the live listing. It checks again daily. If there is no listing, `price` is used instead. `status` defaults to `listed`, `deal_type` to `cash_close`.',
  body: newDeal,
  response: {
    ...ONE_DEAL,
    example: { summary: 'A new deal', value: NEW_DEAL_EXAMPLE },
    status: 201,
    description: 'The deal, before the search for its listing.',
    location: ({ id }) => `${PATH}${id}/`,
  },
  errors: {
    unprocessable: `The board already has ${MAX_DEALS.toLocaleString('en-US')} deals. Remove one first.`,
  },
  handle: async ({ body: { property_id, listing_id, listing_url, ...given } }, resources, call) => {
    const subject = { property_id, listing_id, listing_url };
    const id = await makeOnce(resources.db, call, tx =>
      addDeal(tx, ownerOf(call), subject as never, given as DealFields),
    );
    return { body: await readDeal(resources, call, id), tokens: 0 };
  },
});

export const getListing = defineEndpoint({
  ...dealParams,
  operationId: 'get_deal_flow_listing',
  summary: 'Get a deal',
  description: 'Returns a deal from the board.',
  query: explainQuery,
  response: { ...ONE_DEAL, description: 'The deal.' },
  handle: async ({ params: { id }, query: { explain } }, resources, call) => ({
    body: await readDeal(resources, call, id, explain),
    tokens: 0,
  }),
});

export const changeListing = defineEndpoint({
  ...dealParams,
  method: 'patch',
  operationId: 'update_deal_flow_listing',
  summary: 'Update or move a deal',
  description:
    'Moves a deal to another stage or position, or changes its fields. It can move to any stage. Grade and advice are updated within seconds. A new `price` clears the advice immediately. Only deals in the stage `listed` have advice.',
  body: changedDeal,
  response: {
    ...ONE_DEAL,
    example: {
      summary: 'The example request',
      value: {
        ...DEAL_EXAMPLE,
        status: 'offer_accepted',
        contract_expiration_date: '2027-01-15',
        suggested_action: '',
        advice: null,
      },
    },
    description: 'The updated deal.',
  },
  handle: async ({ params: { id }, body }, resources, call) => {
    const exists = await resources.db.transaction(tx =>
      changeDeal(tx, ownerOf(call), id, body as DealChange),
    );
    if (!exists) throw notFound(NO_DEAL);
    return { body: await readDeal(resources, call, id), tokens: 0 };
  },
});

export const removeListing = defineEndpoint({
  ...dealParams,
  method: 'delete',
  operationId: 'delete_deal_flow_listing',
  summary: 'Remove a deal from the board',
  description: 'Removes a deal. The others keep their order.',
  response: { status: 204, description: 'The deal was removed.' },
  handle: async ({ params: { id } }, { db }, call) => {
    const removed = await db.transaction(tx => removeDeal(tx, ownerOf(call), id));
    if (!removed) throw notFound(NO_DEAL);
    return { body: null, tokens: 0 };
  },
});
