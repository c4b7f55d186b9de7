/**
 * How a parcel is reached, as SQL: what was measured, except that a house has a way to it that no map shows.
 * In the columns of `row`, a house is an address with a number, which isn't an ordinal (1ST AVE), and a
 * building.
 */
export const accessSql = (measured: string, row: string): string =>
  `case
    when ${measured} = 'none'
      and ${row}.situs_address ~ '^ *[NSEW]?0*[1-9][0-9]*([A-Za-z]|[-/][0-9A-Za-z]+)? '
      and (${row}.structure_count > 0 or ${row}.building_sqft > 0 or not ${row}.vacant)
    then 'unmapped'
    else ${measured}
  end`;
