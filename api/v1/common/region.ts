import { z } from 'zod';
import { regionFields } from './schemas.ts';

export const region = z.object(regionFields).meta({ id: 'Region' });

/** The columns of `regions` that a region is made of. */
export type RegionRow = {
  id: string;
  type: 'county' | 'zip';
  code: string;
  name: string;
  state: string;
  county_name: string;
};

export function toRegion({ id, type, code, name, state, county_name }: RegionRow): z.output<typeof region> {
  return { id, type, name, state, county_name, fips: type === 'county' ? code : '' };
}
