import type { DealProblem } from '../../../shared/deals/deal-valuation.ts';

/** Why an estimate doesn't count, so that Plat makes no offer and advises no price. */
export const PROBLEM_WORDS: Readonly<Record<DealProblem, string>> = {
  unknown_parcel: 'Unknown parcel',
  other_acreage: 'Acreages of listing and parcel differ',
  left_the_roll: 'No longer on the roll',
  no_value: 'No value to base an offer on',
  exempt: 'Exempt or public land',
  right_of_way: 'Road or right-of-way',
  water: 'Water',
  common_area: 'Common area',
  too_small: 'Too small to be a lot',
  out_of_support: 'Few similar sales nearby',
  too_wide: 'Estimate too uncertain',
  acres_mismatch: 'Acreage mismatch',
};

/** Land that can't be sold as a lot is always out of support too, so that reason would be redundant. */
export function problemWords(problems: readonly DealProblem[]): string {
  const shown = problems.filter(problem => problem !== 'out_of_support' || !problems.some(isOfLand));
  return shown.map(problem => PROBLEM_WORDS[problem]).join(', ');
}

const OF_LAND: readonly DealProblem[] = ['exempt', 'right_of_way', 'water', 'common_area', 'too_small'];
const isOfLand = (problem: DealProblem): boolean => OF_LAND.includes(problem);
