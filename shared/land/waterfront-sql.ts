/**
 * Whether a parcel is on the water, as SQL: by the measured feet of shore, or by words of its land use on the
 * roll, in a column of `row`.
 */
export const waterfrontSql = (feet: string, row: string): string =>
  `case
    when ${feet} > 0 or ${row}.land_use_code ~* '\\m(water|wtr|lake|river|ocean|bay|beach)[ -]?fr(o?nt)?\\M' then true
    when ${feet} is not null then false
  end`;
