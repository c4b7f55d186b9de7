import { PRICES, tokensText } from '../../shared/model/prices.ts';

/** The jobs that people do most, each as the shortest series of calls. */

type Argument = { name: string; description: string; required: boolean };

type Prompt = {
  name: string;
  title: string;
  description: string;
  arguments: Argument[];
  text(given: Readonly<Record<string, string>>): string;
};

const needed = (name: string, description: string): Argument => ({ name, description, required: true });
const optional = (name: string, description: string): Argument => ({ name, description, required: false });

const PROMPTS: readonly Prompt[] = [
  {
    name: 'find_lots',
    title: 'Find lots',
    description: 'Parcels of a county by size and conditions, with what they are worth.',
    arguments: [
      needed('place', 'County and state, such as Sullivan County, NH'),
      optional('acres', 'Acreage, such as 5 to 20'),
      optional('conditions', 'Further wishes, such as road access, owners out of state'),
    ],
    text: ({ place, acres, conditions }) =>
      `Find lots in ${place}${acres ? ` of ${acres} acres` : ''}${conditions ? `: ${conditions}` : ''}.
1. find_regions (free) for the county's FIPS code.
2. filter_properties once, with every condition as a filter and page_size as the number of lots that I want. If it finds hundreds, tell me the count and which condition would narrow it, instead of paging on.
3. get_property_ai_comp_value for at most the ten best of them (${tokensText(PRICES.value.tokens)} each).
Answer with a table: parcel number, acres, owner, estimate with its confidence, map link. Say what the calls cost together.`,
  },
  {
    name: 'value_parcel',
    title: 'Value a parcel',
    description: 'What a parcel is worth, why, and how sure that is.',
    arguments: [needed('parcel', 'property_id, or parcel number or owner with the county')],
    text: ({ parcel }) =>
      `What is this parcel worth: ${parcel}?
1. Without a property_id: find_regions for the county, then search_properties by parcel number or owner.
2. get_property for acreage, access, slope, wetlands and flood zone.
3. get_property_ai_comp_value with explain=true for the estimate, its 80 % interval and the sales behind it.
4. Where its confidence is under 40 or it is out of support: list_comps with status SOLD and a similar acreage, and say what those sold for per acre.
Answer with the estimate, the interval, the three weightiest sales, and what about the land may move the price.`,
  },
  {
    name: 'compare_markets',
    title: 'Compare markets',
    description: 'Which of several counties or ZIP codes sells land faster or cheaper.',
    arguments: [
      needed('places', 'Counties or ZIP codes, separated by commas'),
      optional('acres', 'Acreage of the lots in question'),
    ],
    text: ({ places, acres }) =>
      `Compare the land markets of ${places}${acres ? ` for lots of ${acres} acres` : ''}.
1. get_coverage (free): leave out what is not known, and say so.
2. find_regions (free) for the FIPS codes, then get_market_stats once for each.
3. Of the acreage bucket that fits, compare sold in a year, sell-through rate, days on market, median price and price per acre. Fewer than five sales tell little: say so.
Answer with one table and one sentence which market I should look at first, and why.`,
  },
];

export const PROMPT_LIST = { prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt) };

/** @returns undefined when there is no such prompt; what is missing as text */
export function promptOf(name: string, given: Readonly<Record<string, string>>) {
  const prompt = PROMPTS.find(one => one.name === name);
  if (prompt === undefined) return undefined;
  const missing = prompt.arguments.find(argument => argument.required && !given[argument.name]?.trim());
  if (missing !== undefined) return { missing: missing.name };
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(given) } }],
  };
}
