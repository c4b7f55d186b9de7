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
const NO_DEAL = 'The board of the caller has no deal with this id.';

/** What the endpoints of one deal have in common. */
export const dealParams = {
  tag: common.tag,
  path: `${PATH}{id}/`,
  params: z.object({ id: z.uuid('must be a UUID').describe('The id of the deal.') }),
  errors: { not_found: NO_DEAL },
};
const explainQuery = z.strictObject({
  explain: queryFlag('Whether to tell the figures behind grade and advice.'),
});

/** Also of a number, which is written as it was sent: 18400.5 is never anything else. */
const money = z
  .preprocess(
    value => (typeof value === 'number' ? String(value) : value),
    z
      .string('must be an amount such as "18400.00"')
      .regex(
        /^[0-9]{1,10}(\.[0-9]{1,2})?$/,
        'must be an amount such as "18400.00": up to 10 digits, then up to 2',
      ),
  )
  .meta({
    description: 'US dollars: a decimal text, or a number.',
    example: '18400.00',
    override: { type: ['string', 'number'], pattern: '^[0-9]{1,10}(\\.[0-9]{1,2})?$' },
  });
const WRONG_DAY = 'must be a day such as 2026-12-15';
/** PostgreSQL knows no year 0. */
const day = z.iso.date(WRONG_DAY).refine(value => value >= '0001', WRONG_DAY);

const listPrice = money.refine(price => !/^0*(\.0*)?$/.test(String(price)), 'must be over 0');
const LIST_PRICE =
  'List price, set by hand. Beside a live listing it counts until that shows another price; without one the deal is graded by it and the acreage of its parcel, until a live listing is found.';

const fields = {
  status: z
    .enum([...DEAL_STAGES, ''], `must be one of ${DEAL_STAGES.join(', ')}, or empty`)
    .optional()
    .describe('Stage on the board.'),
  deal_type: z.enum(DEAL_TYPES).optional(),
};
/** What may be taken back by null. */
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
    property_id: z.int('must be a whole number').min(1).optional().describe('A parcel.'),
    listing_id: z.uuid('must be a UUID').optional().describe('A comp.'),
    listing_url: z
      .url({ protocol: /^https?$/, error: 'must be the http(s) address of a page' })
      .max(2_000, 'must be at most 2,000 characters long')
      .refine(url => !/[\s\p{Cc}\p{Cs}]/u.test(url), 'must be the http(s) address of a page')
      .optional()
      .describe(
        'The page of the listing. It is looked for in the feeds and handed to the provider, never opened.',
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
        'Place in the column of its stage, from 0; beyond the end is the end. Without it a deal that changes its stage goes to the end.',
      ),
    price: listPrice.nullish().describe(`${LIST_PRICE} Null takes it back.`),
    advice_held_until: day
      .nullish()
      .describe(
        'Hold the price until that day, whatever is advised. Another `price` or stage ends it, as does null.',
      ),
    advice_dismissed: z
      .boolean()
      .optional()
      .describe(
        'Whether to leave out the advice until another action is suggested, or another `price` is set.',
      ),
  })
  .meta({
    id: 'DealChange',
    description: 'Fields that you leave out keep their values; null clears one.',
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

/** A further column of deals/list_deals. */
const FIGURES = ', d.figures';

async function readDeal(resources: Resources, call: CallContext, id: string, explain = false): Promise<Deal> {
  const [found] = await readDeals(resources, call, id, explain);
  if (found === undefined) throw notFound(NO_DEAL);
  return found;
}

export const listDeals = defineEndpoint({
  ...common,
  method: 'get',
  operationId: 'list_deal_flow_listings',
  summary: 'List deals',
  description:
    "The board of the key's user: what they sell, with the live listing, its grade and what is advised, by stage and place. An account without a user has a board of its own.",
  query: explainQuery,
  response: {
    status: 200,
    description: `All of them, at most ${MAX_DEALS}; the list is not paged.`,
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
    'By the parcel, the comp, or the address of its page. It is answered at once; the live listing is found within seconds, from the listing feeds, else from the configured provider, and looked at again daily. A `price` stands for a listing where none is found. Without `status` it is `listed`, without `deal_type` a `cash_close`.',
  body: newDeal,
  response: {
    ...ONE_DEAL,
    example: { summary: 'A new deal', value: NEW_DEAL_EXAMPLE },
    status: 201,
    description: 'The deal, its listing not looked for yet.',
    location: ({ id }) => `${PATH}${id}/`,
  },
  errors: { unprocessable: `The board has ${MAX_DEALS} deals already: remove one first.` },
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
  method: 'get',
  operationId: 'get_deal_flow_listing',
  summary: 'Get a deal',
  description: 'One deal of the board.',
  query: explainQuery,
  response: { ...ONE_DEAL, status: 200, description: 'The deal.' },
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
    'Moves it to another stage or place, and changes what was said of it. Stages may move in any direction. Grade and advice follow within seconds (another `price` empties the advice until then); a deal that leaves `listed` has none.',
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
    status: 200,
    description: 'The deal as it is now.',
  },
  handle: async ({ params: { id }, body }, resources, call) => {
    const isThere = await resources.db.transaction(tx =>
      changeDeal(tx, ownerOf(call), id, body as DealChange),
    );
    if (!isThere) throw notFound(NO_DEAL);
    return { body: await readDeal(resources, call, id), tokens: 0 };
  },
});

export const removeListing = defineEndpoint({
  ...dealParams,
  method: 'delete',
  operationId: 'delete_deal_flow_listing',
  summary: 'Remove a deal from the board',
  description: 'The others keep their order.',
  response: { status: 204, description: 'It is removed.' },
  handle: async ({ params: { id } }, { db }, call) => {
    const removed = await db.transaction(tx => removeDeal(tx, ownerOf(call), id));
    if (!removed) throw notFound(NO_DEAL);
    return { body: null, tokens: 0 };
  },
});
