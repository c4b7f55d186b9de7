import type { ListingField, ListingStatus } from '../../shared/domain/listing-fields.ts';
import type { ColumnSpec, Condition, KeySpec } from './column-schema.ts';
import type { ParcelTarget, PresetName } from './definition.ts';

type PresetColumns<Target extends string> = Partial<Record<Target, string | ColumnSpec>>;

/** A known schema. Feeds that name it need only say what to read. */
export type AssessorPreset = {
  kind: 'assessor';
  key: KeySpec;
  columns: PresetColumns<ParcelTarget>;
  skipWhere?: Condition[];
};
export type ListingsPreset = {
  kind: 'listings';
  columns: PresetColumns<ListingField>;
  skipWhere?: Condition[];
};
export type Preset = AssessorPreset | ListingsPreset;

/**
 * Regrid Standardized Parcel Schema (https://support.regrid.com/parcel-data/schema), as CSV, GeoJSON or shapefile;
 * names that dBASE cuts at ten characters are found as well.
 *
 * `ll_uuid` is the key because `parcelnumb` is not unique (condominiums share one). The area is the county's own
 * (`deeded_acres`, else `gisacre`); `ll_gisacre` is measured by Regrid and is left to our own measurement. `parval`
 * and its parts are assessed, appraised or market values as `parvaltype` says; they count as assessed here, and a
 * feed whose county gives market values maps them so itself.
 */
const regrid: AssessorPreset = {
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
const floridaNal: AssessorPreset = {
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

/**
 * StratMap Land Parcels of the Texas Geographic Information Office, the common schema of the appraisal districts
 * (https://tnris.org/stratmap/land-parcels). Names come in upper case, lower case and cut at ten characters
 * (LGL_AREA_U); all are found. DATE_ACQ is the day on which the state received the data, not a sale, and Texas
 * discloses no sale prices: the schema has none. GIS_AREA is measured, not stated, and is left out.
 */
const texasStratmap: AssessorPreset = {
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

/**
 * Every value of the Data Dictionary's StandardStatus lookup. "Active Under Contract" has an accepted offer, so it is
 * under contract; "Coming Soon" is not on the market yet.
 */
const STATUS: Record<string, ListingStatus> = {
  Active: 'ACTIVE',
  'Active Under Contract': 'PENDING',
  Pending: 'PENDING',
  Closed: 'SOLD',
  Canceled: 'OFF_MARKET',
  Cancelled: 'OFF_MARKET',
  'Coming Soon': 'OFF_MARKET',
  Delete: 'OFF_MARKET',
  Expired: 'OFF_MARKET',
  Hold: 'OFF_MARKET',
  Incomplete: 'OFF_MARKET',
  Withdrawn: 'OFF_MARKET',
};

/** A lookup's display names, and the same without blanks: the form of OData enumerations (ActiveUnderContract). */
function bothForms<T>(lookup: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(lookup).flatMap(([name, value]) => [
      [name, value],
      [name.replaceAll(' ', ''), value],
    ]),
  );
}

/**
 * RESO Data Dictionary, resource Property (https://dd.reso.org/DD2.0/Property), as a Web API or as CSV. The size is
 * LotSizeAcres, else LotSizeArea in LotSizeUnits, else LotSizeSquareFeet. Leases are left out: their price is a rent.
 * A feed of land alone asks for it: `reso: { filter: "PropertyType eq 'Land'" }`.
 */
const reso: ListingsPreset = {
  kind: 'listings',
  skipWhere: [
    {
      column: 'PropertyType',
      in: Object.keys(bothForms({ 'Residential Lease': 1, 'Commercial Lease': 1 })),
    },
  ],
  columns: {
    source_id: 'ListingKey',
    status: { column: 'StandardStatus', values: bothForms(STATUS) },
    address: 'UnparsedAddress',
    city: 'City',
    state: 'StateOrProvince',
    zip: 'PostalCode',
    county: 'CountyOrParish',
    apn: 'ParcelNumber',
    latitude: 'Latitude',
    longitude: 'Longitude',
    lot_acres: {
      first_of: [
        'LotSizeAcres',
        { column: 'LotSizeArea', unit: { column: 'LotSizeUnits' } },
        { column: 'LotSizeSquareFeet', unit: 'sqft' },
      ],
    },
    list_price: 'ListPrice',
    sold_price: 'ClosePrice',
    listed_date: { first_of: ['OnMarketDate', 'ListingContractDate'] },
    status_date: 'StatusChangeTimestamp',
    sold_date: 'CloseDate',
    days_on_market: 'DaysOnMarket',
    sale_type: { first_of: ['PropertySubType', 'PropertyType'] },
    url: 'ListingURL',
    photos: 'Media[].MediaURL',
  },
};

export const presets: Record<PresetName, Preset> = {
  regrid,
  reso,
  florida_nal: floridaNal,
  texas_stratmap: texasStratmap,
};
