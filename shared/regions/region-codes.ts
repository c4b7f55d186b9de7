import { z } from 'zod';

/** `8023` is `08023`: spreadsheets drop the leading zero. */
export const fips = z
  .string()
  .regex(/^[0-9]{4,5}$/, 'must be a county FIPS code: 5 digits, the leading zero may be missing')
  .transform(text => text.padStart(5, '0'))
  .meta({
    description: 'County FIPS code: 2 digits of the state, 3 of the county. A leading zero may be left out.',
    example: '33019',
  });

export const zip = z
  .string()
  .regex(/^[0-9]{5}$/, 'must be a 5-digit ZIP code')
  .meta({ description: '5-digit ZIP code.', example: '03280' });
