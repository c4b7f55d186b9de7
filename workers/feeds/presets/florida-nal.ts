import type { AssessorPreset } from './index.ts';

/**
 * The Department of Revenue numbers Florida's 67 counties by alphabet from 11 (Alachua) to 77 (Washington), and so do
 * the odd FIPS codes from 12001 to 12133. One moved: Dade, 23, was 12025 until it became Miami-Dade, 12086, in 1997.
 */
function fipsByCountyNumber(): Record<string, string> {
  const codes: Record<string, string> = {};
  for (let number = 11; number <= 77; number++) codes[number] = String(12_001 + 2 * (number - 11));
  codes[23] = '12086';
  return codes;
}

/** DOR land-use codes of vacant land: residential, commercial, industrial, institutional. */
const VACANT_USES = ['000', '010', '040', '070'];

/**
 * Florida Department of Revenue, Name-Address-Legal roll (NAL; "Production Guide and Data Record Layout for the Comma
 * Delimited File Format"). Just value (JV) is the market value; AV_NSD is the county's assessed value. A sale has a
 * year and a month, and counts as of the first of the month. The file has no state of the parcel: it is Florida.
 */
export const floridaNal: AssessorPreset = {
  kind: 'assessor',
  key: { columns: ['PARCEL_ID'] },
  columns: {
    fips: { column: 'CO_NO', values: fipsByCountyNumber() },
    apn: 'PARCEL_ID',
    acres: { column: 'LND_SQFOOT', unit: 'sqft' },
    owner_name: 'OWN_NAME',
    mail_address: { columns: ['OWN_ADDR1', 'OWN_ADDR2'] },
    mail_city: 'OWN_CITY',
    mail_state: 'OWN_STATE',
    mail_zip: 'OWN_ZIPCD',
    situs_address: { columns: ['PHY_ADDR1', 'PHY_ADDR2'] },
    situs_city: 'PHY_CITY',
    situs_state: { value: 'FL' },
    situs_zip: 'PHY_ZIPCD',
    land_use_code: 'DOR_UC',
    structure_count: 'NO_BULDNG',
    building_sqft: { first_of: ['TOT_LVG_AREA', 'TOT_LVG_AR'] },
    year_built: 'ACT_YR_BLT',
    assessed_total_value: 'AV_NSD',
    market_total_value: 'JV',
    market_land_value: 'LND_VAL',
    last_sale_date: { columns: ['SALE_YR1', 'SALE_MO1'], join: '-', date: 'YYYY-M' },
    last_sale_price: 'SALE_PRC1',
    sale_price_code: 'QUAL_CD1',
    vacant: {
      column: 'DOR_UC',
      values: {
        '': null,
        ...Object.fromEntries(
          VACANT_USES.flatMap(code => [
            [code, true],
            [String(Number(code)), true],
          ]),
        ),
      },
      otherwise: false,
    },
  },
};
