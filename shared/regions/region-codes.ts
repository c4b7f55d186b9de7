import { z } from 'zod';

/** Accepts `8023` for `08023`, because spreadsheets drop the leading zero. */
export const fips = z
  .string()
  .regex(/^[0-9]{4,5}$/, 'must be a county FIPS code: 5 digits, with or without the leading zero')
  .transform(text => text.padStart(5, '0'))
  .meta({
    description: '5-digit county FIPS code. The leading zero is optional.',
    example: '33019',
  });

export const zip = z
  .string()
  .regex(/^[0-9]{5}$/, 'must be a 5-digit ZIP code')
  .meta({ description: '5-digit ZIP code.', example: '03280' });
