import { boundsSchema } from '../../formats/input-settings.ts';

export const COVERAGE_SECTION = {
  coverage: boundsSchema(
    'Land layers: the box [west, south, east, north], in degrees, in which the layer is complete. Default: the county in fips, else the bounding box of the source.',
  ),
};
