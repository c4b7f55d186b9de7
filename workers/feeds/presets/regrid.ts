import type { AssessorPreset } from './index.ts';

/**
 * Regrid Standardized Parcel Schema (https://support.regrid.com/parcel-data/schema), as CSV, GeoJSON or shapefile;
 * names that dBASE cuts at ten characters are found as well.
 *
 * `ll_uuid` is the key because `parcelnumb` is not unique (condominiums share one). The area is the county's own
 * (`deeded_acres`, else `gisacre`); `ll_gisacre` is measured by Regrid and is left to our own measurement. `parval`
 * and its parts are assessed, appraised or market values as `parvaltype` says; they count as assessed here, and a
 * feed whose county gives market values maps them so itself.
 */
export const regrid: AssessorPreset = {
  kind: 'assessor',
  key: { columns: ['ll_uuid'] },
  columns: {
    fips: 'geoid',
    apn: 'parcelnumb',
    acres: { first_of: ['deeded_acres', 'gisacre'] },
    owner_name: 'owner',
    owner_name_2: 'owner2',
    mail_address: 'mailadd',
    mail_city: 'mail_city',
    mail_state: 'mail_state2',
    mail_zip: 'mail_zip',
    situs_address: 'address',
    situs_city: 'scity',
    situs_state: 'state2',
    situs_zip: { first_of: ['szip5', 'szip'] },
    subdivision: 'subdivision',
    zoning_code: 'zoning',
    land_use_code: { first_of: ['usecode', 'usedesc'] },
    school_district: { first_of: ['census_unified_school_district', 'census_school_district'] },
    structure_count: { first_of: ['structno', 'll_bldg_count'] },
    building_sqft: 'area_building',
    year_built: 'yearbuilt',
    assessed_total_value: 'parval',
    assessed_land_value: 'landval',
    assessed_improvement_value: 'improvval',
    last_sale_date: 'saledate',
    last_sale_price: 'saleprice',
    vacant: {
      column: 'struct',
      values: { true: false, t: false, y: false, 1: false, false: true, f: true, n: true, 0: true },
    },
  },
};
