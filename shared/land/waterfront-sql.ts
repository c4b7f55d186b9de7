/**
 * Whether a parcel is on the water, as SQL: according to the measured feet of shore, or to the words in its
 * land use on the roll (`row`).
 */
export const waterfrontSql = (feet: string, row: string): string =>
  `case
    when ${feet} > 0 or ${row}.land_use_code ~* '\\m(water|wtr|lake|river|ocean|bay|beach)[ -]?fr(o?nt)?\\M' then true
    when ${feet} is not null then false
  end`;
