/**
 * How a parcel can be reached, as SQL: the measured access, except that a house implies a way that no map
 * shows. A row of the roll (`row`) has a house if it has a building, and its address starts with a number
 * that isn't an ordinal (1ST AVE).
 */
export const accessSql = (measured: string, row: string): string =>
  `case
    when ${measured} = 'none'
      and ${row}.situs_address ~ '^ *[NSEW]?0*[1-9][0-9]*([A-Za-z]|[-/][0-9A-Za-z]+)? '
      and (${row}.structure_count > 0 or ${row}.building_sqft > 0 or not ${row}.vacant)
    then 'unmapped'
    else ${measured}
  end`;
