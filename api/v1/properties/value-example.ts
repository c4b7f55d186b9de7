/** What the bundled sample answers to `ai-comp-value/?explain=true`. */
export const VALUE_EXAMPLE_ID = 3301900001047;

export const VALUE_EXAMPLE = {
  mean_price: 0,
  mean_ppa: 0,
  mean_adjusted_price: 0,
  mean_adjusted_ppa: 0,
  confidence_score: 0,
  gini_index: 0,
};
