import { PRICES, tokensText } from '../../shared/model/prices.ts';
import type { Toolset } from './toolsets.ts';

/** Prompts for the jobs that people do most. Each one uses as few calls as possible. */

type Argument = { name: string; description: string; required: boolean };

type Prompt = {
  name: string;
  title: string;
  description: string;
  /** The sets of the tools that the text names. */
  toolsets: readonly Toolset[];
  arguments: Argument[];
  text(args: Readonly<Record<string, string>>): string;
};

const needed = (name: string, description: string): Argument => ({ name, description, required: true });
const optional = (name: string, description: string): Argument => ({ name, description, required: false });

const PROMPTS: readonly Prompt[] = [
  {
    name: 'find_land',
    title: 'Find land to buy',
    description: 'Find parcels to make offers on, by size and other conditions, with their estimated values.',
    toolsets: ['parcels'],
    arguments: [
      needed('place', 'County and state, such as Sullivan County, NH'),
      optional('acres', 'Acreage, such as 5 to 20'),
      optional('conditions', 'Other conditions, such as road access or out-of-state owners'),
      optional('count', 'Number of parcels to compare. Default: 10'),
    ],
    text: ({ place, acres, conditions, count = '10' }) =>
      `Find ${count} parcels to buy in ${place}${acres ? ` of ${acres} acres` : ''}${conditions ? `: ${conditions}` : ''}.
1. Call search (free) for the county's FIPS code.
2. Call quote_filter with every condition as a filter. It usually returns the number of matches for free. If hundreds match, suggest the condition that would narrow them down the most, and ask me before you continue.
3. Call filter_properties once with the same filters and page_size ${count} (${tokensText(PRICES.filterPage.tokens)}).
4. Call get_property_ai_comp_value for each parcel (${tokensText(PRICES.value.tokens)} each). Ask me first if there are more than ten.
Answer with a table, best first: parcel number, acres, owner, estimated value with its confidence, and map link. Say which parcels have a value that you wouldn't rely on, and what the calls cost in total.`,
  },
  {
    name: 'price_listing',
    title: 'Price my listing',
    description:
      'Choose an asking price for a parcel, from its estimated value and from what competes with it.',
    toolsets: ['parcels', 'markets'],
    arguments: [
      needed('parcel', 'property_id, address, or parcel number with the county'),
      optional('price', 'The current asking price'),
      optional('deadline', 'When it should be sold'),
    ],
    text: ({ parcel, price, deadline }) =>
      `What should I ask for this parcel: ${parcel}?${price ? ` It is listed for ${price}.` : ''}${deadline ? ` I want to sell it by ${deadline}.` : ''}
1. If I didn't give a property_id, call search (free) to find it.
2. Call get_property for acreage, access, slope, wetlands, and flood zone.
3. Call get_property_ai_comp_value with explain=true for the estimate, its 80% range, and the sales behind it.
4. Call list_comps for its county with status SOLD, age 730, a similar acreage, and page_size 20. Then call it with status ACTIVE, order ppa, the same acreage, and page_size 20.
5. Call get_market_stats for days on market and the sell-through rate in its acreage bucket.
If the confidence is below 40 or out_of_support is true, rely on the sales instead of the estimate.
Answer with three asking prices (to sell fast, at the market, and patient). For each, say how many of the active listings cost less per acre, and how long it is likely to take. Then name the land's strengths and problems that a buyer will notice.`,
  },
  {
    name: 'study_market',
    title: 'Study a market',
    description: 'Find out whether land sells in counties or ZIP codes, how fast, and for how much.',
    toolsets: ['markets'],
    arguments: [
      needed('places', 'Counties or ZIP codes, separated by commas'),
      optional('acres', 'Acreage of the lots'),
    ],
    text: ({ places, acres }) =>
      `Study the land market of ${places}${acres ? ` for lots of ${acres} acres` : ''}.
1. Call find_regions (free) for the FIPS codes, and get_coverage (free) for each county. Skip places without data, and say so.
2. Call get_market_stats once for each place.
3. Call get_market_history for the acreage bucket that fits, with keys Sold: 1yr, 1yr STR, and Median Sold PPA, and every=quarter, for the two best places.
4. Call list_top_markets (free) with the key 1yr STR in the same state to see where they rank.
Compare sales in a year, sell-through rate, days on market, median price, and price per acre. If there are fewer than five sales, say that the figures mean little.
Answer with one table, what has changed in the last year, and one sentence on which market I should look at first and why.`,
  },
];

export const promptsIn = (toolsets: ReadonlySet<Toolset>) =>
  PROMPTS.filter(prompt => prompt.toolsets.every(name => toolsets.has(name))).map(
    ({ text: _text, toolsets: _toolsets, ...prompt }) => prompt,
  );

/** @returns undefined for an unknown prompt, or the name of a missing argument */
export function promptOf(name: string, args: Readonly<Record<string, string>>) {
  const prompt = PROMPTS.find(one => one.name === name);
  if (prompt === undefined) return undefined;
  const missing = prompt.arguments.find(argument => argument.required && !args[argument.name]?.trim());
  if (missing !== undefined) return { missing: missing.name };
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(args) } }],
  };
}
