-- Writes valuations, in the order of columns of workers/valuation/write-valuations.ts.
copy valuations (
  fips, property_id, mean_price, mean_ppa, mean_adjusted_price, mean_adjusted_ppa, gini_index, confidence_score, low_price,
  high_price, out_of_support, reach_m, reach_log_acres, level_reach_m, comps, as_of, model_version
) from stdin (format binary)
