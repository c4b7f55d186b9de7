import { PRICES, tokensText } from '../../shared/model/prices.ts';

/** Prompts for the most common tasks. Each prompt uses as few calls as possible. */

type Argument = { name: string; description: string; required: boolean };

type Prompt = {
  name: string;
  title: string;
  description: string;
  arguments: Argument[];
  text(args: Readonly<Record<string, string>>): string;
};

const needed = (name: string, description: string): Argument => ({ name, description, required: true });
const optional = (name: string, description: string): Argument => ({ name, description, required: false });

const PROMPTS: readonly Prompt[] = [
  {
    name: 'find_lots',
    title: 'Find lots',
    description: 'Find parcels in a county by size and other conditions, with their estimated values.',
    arguments: [
      needed('place', 'County and state, such as Sullivan County, NH'),
      optional('acres', 'Acreage, such as 5 to 20'),
      optional('conditions', 'Other conditions, such as road access or out-of-state owners'),
    ],
    text: ({ place, acres, conditions }) =>
      `Find lots in ${place}${acres ? ` of ${acres} acres` : ''}${conditions ? `: ${conditions}` : ''}.
1. Call find_regions (free) for the county's FIPS code.
2. Call filter_properties once, with every condition as a filter, and page_size set to the number of lots I want. If hundreds match, tell me the count and which condition would narrow them down, instead of reading more pages.
3. Call get_property_ai_comp_value for up to ten of the best (${tokensText(PRICES.value.tokens)} each).
Answer with a table: parcel number, acres, owner, estimated value with its confidence, map link. Say what the calls cost in total.`,
  },
  {
    name: 'value_parcel',
    title: 'Value a parcel',
    description: "Estimate a parcel's value, and explain how reliable the estimate is.",
    arguments: [needed('parcel', 'property_id, or the parcel number or owner with the county')],
    text: ({ parcel }) =>
      `What is this parcel worth: ${parcel}?
1. If I didn't give a property_id, call find_regions for the county, then search_properties by parcel number or owner.
2. Call get_property for acreage, access, slope, wetlands, and flood zone.
3. Call get_property_ai_comp_value with explain=true for the estimate, its 80% range, and the sales behind it.
4. If its confidence is below 40 or out_of_support is true, call list_comps with status SOLD and a similar acreage, and say what those sold for per acre.
Answer with the estimate, the range, the three sales with the most weight, and what about the land could affect the price.`,
  },
  {
    name: 'compare_markets',
    title: 'Compare markets',
    description: 'Compare how fast and at what price land sells in counties or ZIP codes.',
    arguments: [
      needed('places', 'Counties or ZIP codes, separated by commas'),
      optional('acres', 'Acreage of the lots'),
    ],
    text: ({ places, acres }) =>
      `Compare the land markets of ${places}${acres ? ` for lots of ${acres} acres` : ''}.
1. Call get_coverage (free). Skip places without data, and say so.
2. Call find_regions (free) for the FIPS codes, then get_market_stats once for each.
3. For the acreage bucket that fits, compare sales in a year, sell-through rate, days on market, median price, and price per acre. If there are fewer than five sales, say that the figures mean little.
Answer with one table, and one sentence on which market I should look at first and why.`,
  },
];

export const PROMPT_LIST = { prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt) };

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
