import { z } from 'zod';
import {
  DEAL_STAGES,
  DEAL_TYPES,
  FETCH_STATUSES,
  type FetchStatus,
} from '../../../shared/deals/deal-terms.ts';
import { ADVICE_REASONS } from '../../../shared/kernels/deal-grade.ts';
import { ACRE_BUCKETS } from '../../../shared/model/buckets.ts';

const DECIMAL = /^-?[0-9]{1,10}\.[0-9]{2}$/;
const usd = (description: string) => z.string().regex(DECIMAL).describe(`${description}, in USD.`);
const count = (description: string) => z.int().nullable().describe(description);
const figure = (description: string) => z.number().nullable().describe(description);

const advice = z
  .object({
    text: z.string().describe('What to do, why, and what it does to the profit, in sentences.'),
    like_listings: z
      .int()
      .describe(
        "With how many it was compared: the county's other ACTIVE listings of its acreage bucket; with fewer than 10 those of a third to three times its acreage; with fewer than 10 again all.",
      ),
    like_advantage: count('Share of these that ask more per acre, 0-100.'),
    valuation_counts: z
      .boolean()
      .describe(
        'The valuation was heeded: its comps are like the parcel, and the listing has the acreage of the parcel within 25 %.',
      ),
    profit_now: usd('Expected profit at the price of today'),
    profit_then: usd('Expected profit when the advice is followed, sold for no more than is asked then'),
  })
  .meta({ id: 'DealAdvice' });

const figures = z
  .object({
    as_of: z.iso.date().describe('The day for which it was computed.'),
    bucket: z
      .enum(ACRE_BUCKETS.map(({ label }) => label) as [string, ...string[]])
      .nullable()
      .describe('The narrowest acreage bucket that holds the lot.'),
    median_days_on_market: z
      .number()
      .describe("Of the county's sales of the last year in the bucket; 180 without any."),
    sales: z.int().describe('How many sales that is the median of.'),
    active_listings: z.int().describe("The county's other ACTIVE listings."),
    dearer_listings: count('How many of these ask more per acre.'),
    listings_with_views: z
      .int()
      .describe('How many of these have views, which traction compares with when they are 10 or more.'),
    price_per_acre: figure('USD an acre.'),
    interest: z.number().describe('Views and ten times the saves, a day on the market.'),
    freshness: figure('100 on the first day, 37 after the median days on market.'),
    score: figure('0 to 100, from which the grade is read.'),
    competitive_price: usd(
      'The highest multiple of 100 at which 60 % of the like listings ask more per acre',
    ).nullable(),
    mean_adjusted_price: usd('What the parcel is worth by the sales around it').nullable(),
    low_price: usd('Lower end of the 80 % interval of that').nullable(),
    high_price: usd('Upper end of the 80 % interval of that').nullable(),
    total_spend: usd('Purchase price and all costs'),
    reason: z.enum(['', ...ADVICE_REASONS]).describe('Why that is advised.'),
  })
  .meta({ id: 'DealFigures' });

const FETCH = Object.keys(FETCH_STATUSES) as [FetchStatus, ...FetchStatus[]];

export const deal = z
  .object({
    id: z.uuid(),
    address: z.string().nullable().describe('Null until the live listing was looked for, like what follows.'),
    county: z.string().nullable(),
    state: z.string().nullable().describe('Two-letter state code.'),
    acreage: figure('Acres.'),
    price: figure('Current list price, in USD: of the live listing, or set by hand.'),
    days_on_market: count(
      'Days since it was listed, or since a price that stands for a listing was first set.',
    ),
    traction_score: count(
      '0-100 by views and saves a day, against other listings of the county; 0 until there are any.',
    ),
    listing_grade: z.string().describe('A+, A, A-, B+, B, B-, C+, C, C-, D or F; blank until graded.'),
    price_advantage: count("Share of the county's other active listings that ask more per acre, 0-100."),
    suggested_action: z
      .enum(['', 'drop', 'relist', 'hold'])
      .describe(
        'Only in the stage `listed`, once the live listing is found, or by a `price` set by hand. Empty until another price is looked at.',
      ),
    suggested_action_price: usd('The list price that is advised, where the action is `drop`').nullable(),
    advice: advice.nullable().describe('What the suggested action rests on and what it does to the profit.'),
    advice_held_until: z.iso
      .date()
      .nullable()
      .describe('The day until which a person has decided to hold the price, whatever is advised.'),
    advice_dismissed: z
      .boolean()
      .describe('A person wants to see no advice until another action is suggested.'),
    status: z.enum([...DEAL_STAGES, '']).describe('Stage on the board; empty where there is none.'),
    deal_type: z.enum(DEAL_TYPES),
    expected_profit: usd('Expected sell price, else list price, less what was spent'),
    contract_expiration_date: z.iso.date().nullable(),
    closing_date: z.iso.date().nullable().describe('Expected or actual.'),
    property_id: z.int().nullable().describe('The parcel, as far as it is known.'),
    listing_id: z.uuid().nullable().describe('The comp that is its listing.'),
    listing_url: z.string().nullable(),
    position: z.int().describe('Place in its column, from 0.'),
    fetch_status: z.enum(FETCH).describe(
      Object.entries(FETCH_STATUSES)
        .map(([code, means]) => `\`${code}\`: ${means}`)
        .join('; '),
    ),
    fetched_at: z.iso.datetime().nullable(),
    views: count('As the listing tells.'),
    saves: count('As the listing tells.'),
    purchase_price: usd('What was paid for it').nullable(),
    agent_fee: usd('Fee of the agent').nullable(),
    misc_costs: usd('Other costs').nullable(),
    closing_costs: usd('Costs of closing').nullable(),
    expected_sell_price: usd('What it is hoped to sell for').nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('When a person changed it last.'),
    figures: figures.nullable().optional().describe('With `explain=true`.'),
  })
  .meta({ id: 'Deal' });

export type Deal = z.output<typeof deal>;
