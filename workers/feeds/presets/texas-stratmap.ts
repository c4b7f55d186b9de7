import type { AssessorPreset } from './index.ts';

/**
 * StratMap Land Parcels of the Texas Geographic Information Office, the common schema of the appraisal districts
 * (https://tnris.org/stratmap/land-parcels). Names come in upper case, lower case and cut at ten characters
 * (LGL_AREA_U); all are found. DATE_ACQ is the day on which the state received the data, not a sale, and Texas
 * discloses no sale prices: the schema has none. GIS_AREA is measured, not stated, and is left out.
 */
export const texasStratmap: AssessorPreset = {
  kind: 'assessor',
  key: { columns: ['Prop_ID'] },
  columns: {
    fips: 'FIPS',
    apn: { first_of: ['GEO_ID', 'Prop_ID'] },
    acres: { column: 'LEGAL_AREA', unit: { column: 'LGL_AREA_UNIT' } },
    owner_name: 'OWNER_NAME',
    owner_name_2: 'NAME_CARE',
    mail_address: { first_of: [{ columns: ['MAIL_LINE1', 'MAIL_LINE2'] }, 'MAIL_ADDR'] },
    mail_city: 'MAIL_CITY',
    mail_state: 'MAIL_STAT',
    mail_zip: 'MAIL_ZIP',
    situs_address: 'SITUS_ADDR',
    situs_city: 'SITUS_CITY',
    situs_state: { first_of: ['SITUS_STAT', { value: 'TX' }] },
    situs_zip: 'SITUS_ZIP',
    land_use_code: { first_of: ['STAT_LAND_USE', 'LOC_LAND_USE'] },
    year_built: 'YEAR_BUILT',
    market_total_value: 'MKT_VALUE',
    market_land_value: 'LAND_VALUE',
    market_improvement_value: 'IMP_VALUE',
  },
};
