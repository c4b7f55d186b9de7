import { square, type TestParcel } from './parcels.ts';

/** Four parcels for filter tests. */
const SULLIVAN = 33_019e8;
const HANCOCK = 23_009e8;
const OWNER = '11111111-1111-1111-1111-111111111111';
const OTHER = '22222222-2222-2222-2222-222222222222';

/** A parcel with every field. */
export const FULL: TestParcel = {
  property_id: SULLIVAN + 1,
  boundary: square(-72.1, 43.2),
  apn: '12-A.3 4',
  acres: 10,
  owner_name: "O'Neil Family Trust",
  owner_name_2: 'Mary ONeil',
  situs_address: '1 Main St',
  situs_city: 'Washington',
  situs_state: 'NH',
  situs_zip: '03280',
  subdivision: 'Ashuelot Pond',
  zoning_code: 'R1',
  land_use_code: '0100',
  school_district: 'Hillsboro-Deering',
  sale_price_code: 'F',
  seller_name: 'Old 100% Farm_LLC',
  document_type_code: 'WD',
  mortgage_financing_type_code: 'CNV',
  mortgage_loan_type_code: '2',
  owner_key: OWNER,
  building_sqft: 1_200.5,
  improvement_percent: 40,
  mortgage_interest_rate: 4.125,
  assessed_total_value: 100_000,
  assessed_land_value: 60_000,
  assessed_improvement_value: 40_000,
  market_total_value: 200_000,
  market_land_value: 120_000,
  market_improvement_value: 80_000,
  last_sale_price: 150_000,
  mortgage_amount: 90_000,
  last_sale_date: '2020-02-29',
  mortgage_date: '2020-03-01',
  structure_count: 2,
  year_built: 1950,
  tax_delinquent_year: 2020,
  tax_delinquent: true,
  owner_occupied: true,
  out_of_state_owner: true,
  out_of_county_owner: true,
  out_of_zip_owner: true,
  corporate_owner: true,
  hoa_owner: true,
  inter_family_transfer: true,
  vacant: true,
  access: 'none',
  landlocked: true,
  waterfront: true,
  waterfront_ft: 123.45,
  buildable_acres: 2.5,
  buildable_percent: 25.4,
  buildable_patch_acres: 1.25,
  wetlands_percent: 12.3,
  flood_zone_percent: 45.6,
  highway_frontage_ft: 10.1,
  road_frontage_ft: 20.2,
  local_frontage_ft: null,
  steeper_percent: [99, 95, 90, 85, 80, 75, 70.1, 50, 40, 30.3, 20],
};

/** The opposite of the first parcel in every field. */
export const OPPOSITE: TestParcel = {
  property_id: SULLIVAN + 2,
  boundary: square(-72.2, 43.3),
  apn: '99',
  acres: 500,
  owner_name: 'Smith & Sons LLC',
  situs_zip: '03456',
  zoning_code: 'C2',
  seller_name: 'Bank of Nowhere',
  mortgage_loan_type_code: '3',
  owner_key: OTHER,
  building_sqft: 90_000,
  last_sale_date: '2025-06-01',
  tax_delinquent_year: new Date().getUTCFullYear(),
  tax_delinquent: false,
  owner_occupied: false,
  corporate_owner: false,
  wetlands_percent: 99,
  highway_frontage_ft: 1_000,
  road_frontage_ft: 1_000,
  local_frontage_ft: 1_000,
  steeper_percent: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0],
};

/** A parcel without any known field. */
export const UNKNOWN: TestParcel = { property_id: SULLIVAN + 3 };
export const ELSEWHERE: TestParcel = { property_id: HANCOCK + 1, situs_zip: '03280', owner_key: OWNER };
