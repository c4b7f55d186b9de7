/** Rows of a table in the order of their regions: region g has rows[starts[g]] up to, not including, rows[starts[g + 1]]. */
export type RowGroups = {
  /** Distinct region codes, ascending. */
  codes: Int32Array;
  /** Where each region begins in `rows`; one longer than `codes`. */
  starts: Uint32Array;
  /** Row numbers, ascending within a region. */
  rows: Uint32Array;
};

/**
 * Groups rows by a region code such as a county FIPS or a ZIP read as an integer, by counting: time and memory grow with
 * the number of rows and with the largest code. Rows with a negative code belong to no region and are left out.
 */
export function groupRows(regionCode: Int32Array): RowGroups {
  let largest = -1;
  for (const code of regionCode) if (code > largest) largest = code;
  const counts = new Uint32Array(largest + 1);
  for (const code of regionCode) if (code >= 0) counts[code]!++;
  const codes = Int32Array.from(counts.keys()).filter(code => counts[code]! > 0);

  const starts = new Uint32Array(codes.length + 1);
  const next = counts;
  for (let group = 0; group < codes.length; group++) {
    const code = codes[group]!;
    starts[group + 1] = starts[group]! + counts[code]!;
    next[code] = starts[group]!;
  }
  const rows = new Uint32Array(starts[codes.length]!);
  for (let row = 0; row < regionCode.length; row++) {
    const code = regionCode[row]!;
    if (code >= 0) rows[next[code]!++] = row;
  }
  return { codes, starts, rows };
}
