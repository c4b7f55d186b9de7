import type { RegionFields } from '../../shared/model/market-stats.ts';

const NEW_HAMPSHIRE = { state: 'NH', county_name: 'Sullivan' };

/** Two regions as the API returns them. Their ids are the same in every installation. */
export const SULLIVAN: RegionFields = {
  id: '78b5033a-d2a6-5d19-b2bf-83916be6fa57',
  type: 'county',
  name: 'Sullivan',
  ...NEW_HAMPSHIRE,
  fips: '33019',
};
export const ZIP_03280: RegionFields = {
  id: '864de45e-9861-53f2-93ba-6c0496c1b276',
  type: 'zip',
  name: '03280',
  ...NEW_HAMPSHIRE,
  fips: '',
};
