import { z } from 'zod';
import {
  DEAL_STAGES,
  DEAL_TYPES,
  FETCH_STATUSES,
  type FetchStatus,
} from '../../../shared/deals/deal-terms.ts';
import { DEAL_PROBLEM_NAMES, DEAL_PROBLEMS } from '../../../shared/deals/deal-valuation.ts';
import { ADVICE_ACTIONS, ADVICE_REASONS } from '../../../shared/kernels/deal-grade.ts';
import { ACRE_BUCKETS } from '../../../shared/model/buckets.ts';

const DECIMAL = /^-?[0-9]{1,10}\.[0-9]{2}$/;
const usd = (description: string) => z.string().regex(DECIMAL).describe(`${description}, in USD.`);
const count = (description: string) => z.int().nullable().describe(description);
const figure = (description: string) => z.number().nullable().describe(description);

const problems = z.array(z.enum(DEAL_PROBLEM_NAMES)).describe(
  `Reasons why the valuation doesn't count. Empty if it counts. ${Object.entries(DEAL_PROBLEMS)
    .map(([code, words]) => `\`${code}\`: ${words}`)
    .join('; ')}.`,
);

const advice = z
  .object({
    action: z
      .enum(['', ...ADVICE_ACTIONS])
      .describe(
        'Advised action. It is `raise` if the valuation counts and the price is below its range. In that case, `suggested_action` is `hold`. All other actions are the same as in `suggested_action`.',
      ),
    price: usd(
      'Advised list price for `raise` and `drop`, null for other actions. Always a multiple of $100. Never below the estimate or, for `drop`, below what has been spent on the deal',
    ).nullable(),
    text: z.string().describe('The advice in sentences: what to do, why, and the effect on your profit.'),
    like_listings: z
      .int()
      .describe(
        "Number of similar listings: the county's other ACTIVE listings in the same acreage bucket. If there are fewer than 10, listings with a third to three times the acreage. If there are still fewer than 10, all of the county's other ACTIVE listings.",
      ),
    like_advantage: count(
      "Percentage of the similar listings that have a higher price per acre after `size_elasticity` is used to adjust it to this lot's acreage. Null if there are no similar listings.",
    ),
    valuation_counts: z
      .boolean()
      .describe(
        'Whether the valuation counts. It counts if `valuation_problems` is empty. If it does not count, no price is advised.',
      ),
    valuation_problems: problems,
    profit_now: usd('Expected profit at the current price'),
    profit_then: usd(
      'Expected profit if you follow the advice. It is based on the advised price, or on your expected sale price if that is lower',
    ),
  })
  .meta({ id: 'DealAdvice' });

const figures = z
  .object({
    as_of: z.iso.date().describe('Date of the figures.'),
    bucket: z
      .enum(ACRE_BUCKETS.map(({ label }) => label) as [string, ...string[]])
      .nullable()
      .describe('Narrowest acreage bucket that contains the lot. Null if there is none.'),
    median_days_on_market: z
      .number()
      .describe(
        "Median days on market of the county's sales in the bucket in the last year. 180 if there are no sales.",
      ),
    sales: z.int().describe('Number of sales behind the median.'),
    active_listings: z.int().describe("Number of the county's other ACTIVE listings."),
    dearer_listings: count(
      'How many of these have a higher price per acre. Null if the lot has no price per acre.',
    ),
    listings_with_views: z
      .int()
      .describe('How many of these report views. Traction is compared with them if there are 10 or more.'),
    price_per_acre: figure('Price per acre in USD. Null if the price or the acreage is unknown.'),
    interest: figure(
      'Views plus ten times the saves, per day on the market. Null if the listing reports neither, in which case interest has no weight in the grade.',
    ),
    freshness: figure(
      'Freshness score: 100 on the first day, 37 after the median days on market. Null when unknown.',
    ),
    score: figure('Total score from 0 to 100, which determines the grade. Null until graded.'),
    size_elasticity: figure(
      "Elasticity of price per acre with respect to acres, as used in the county's valuations. Each similar listing's price per acre is multiplied by (this lot's acres / the listing's acres) ^ `size_elasticity`. Null if an older version graded the deal.",
    ),
    competitive_price: usd(
      "Highest multiple of $100 at which at least 60% of the similar listings have a higher price per acre, adjusted to this lot's acreage",
    ).nullable(),
    mean_adjusted_price: usd('Estimated value of the parcel').nullable(),
    low_price: usd('Low end of its 80% range').nullable(),
    high_price: usd('High end of its 80% range').nullable(),
    valuation_problems: problems,
    total_spend: usd('Purchase price and all costs'),
    reason: z.enum(['', ...ADVICE_REASONS]).describe('Reason for the advice. Empty if there is no advice.'),
  })
  .meta({ id: 'DealFigures' });

const FETCH = Object.keys(FETCH_STATUSES) as [FetchStatus, ...FetchStatus[]];

export const deal = z
  .object({
    id: z.uuid(),
    address: z
      .string()
      .nullable()
      .describe(
        'Street address. Null until Plat has searched for the listing, as are `county`, `state`, and `acreage`.',
      ),
    county: z.string().nullable().describe('County name.'),
    state: z.string().nullable().describe('Two-letter state code.'),
    acreage: figure('Lot size in acres.'),
    price: figure('Current list price in USD, from the live listing or set by you.'),
    days_on_market: count(
      'Days since the lot was listed or, if there is no listing, since you first set a price.',
    ),
    traction_score: count(
      "Score from 0 to 100: views and saves per day compared with the county's other listings. 0 if there are no views or saves. If the listing reports neither, it has no weight in the grade.",
    ),
    listing_grade: z
      .string()
      .describe('Grade: A+, A, A-, B+, B, B-, C+, C, C-, D, or F. Empty until graded.'),
    price_advantage: count(
      "Share of the county's other active listings with a higher price per acre, from 0 to 100.",
    ),
    suggested_action: z
      .enum(['', 'drop', 'relist', 'hold'])
      .describe(
        'Suggested action. Available only in the stage `listed`, once Plat has found the live listing or you have set a `price`. Empty if there is no advice, and until a new price is graded.',
      ),
    suggested_action_price: usd('Advised list price (null unless the action is `drop`)').nullable(),
    advice: advice
      .nullable()
      .describe(
        'Reasons for the suggested action and its effect on your profit. Null if there is no advice.',
      ),
    advice_held_until: z.iso
      .date()
      .nullable()
      .describe('Date until which someone chose to hold the price. Null if not set.'),
    advice_dismissed: z
      .boolean()
      .describe('Whether someone dismissed the advice. It stays hidden until Plat suggests another action.'),
    status: z
      .enum([...DEAL_STAGES, ''])
      .describe(
        'Stage on the board. `under_contract` means that you have the lot under contract, and it is not for sale yet. Empty if there is no stage.',
      ),
    deal_type: z.enum(DEAL_TYPES).describe('Type of deal.'),
    expected_profit: usd('Expected sale price (or list price, if there is none) minus total costs'),
    contract_expiration_date: z.iso.date().nullable().describe('Date the contract expires. Null if not set.'),
    closing_date: z.iso.date().nullable().describe('Expected or actual closing date. Null if not set.'),
    property_id: z.int().nullable().describe('Id of the parcel. Null if unknown.'),
    listing_id: z.uuid().nullable().describe('Id of its listing in `comps/`. Null if there is none.'),
    listing_url: z.string().nullable().describe('URL of the listing page. Null if unknown.'),
    position: z.int().describe('Position in its column, starting at 0.'),
    fetch_status: z.enum(FETCH).describe(
      Object.entries(FETCH_STATUSES)
        .map(([code, means]) => `\`${code}\`: ${means}`)
        .join('; '),
    ),
    fetched_at: z.iso
      .datetime()
      .nullable()
      .describe('Last time Plat searched for the listing. Null before the first search.'),
    views: count('Number of views that the listing reports. Null if it does not report views.'),
    saves: count('Number of saves that the listing reports. Null if it does not report saves.'),
    purchase_price: usd('Purchase price').nullable(),
    agent_fee: usd('Agent fee').nullable(),
    misc_costs: usd('Other costs').nullable(),
    closing_costs: usd('Closing costs').nullable(),
    expected_sell_price: usd('Expected sale price').nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('Last time someone changed the deal.'),
    figures: figures
      .nullable()
      .optional()
      .describe(
        'Numbers behind the grade and the advice, with `explain=true`. Before the lot has a list price, they include its estimated value, but no score. Null until Plat knows the acreage.',
      ),
  })
  .meta({ id: 'Deal' });

export type Deal = z.output<typeof deal>;
