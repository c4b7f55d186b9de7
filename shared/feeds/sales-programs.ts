import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PlatError } from '../platform/errors.ts';
import { countyName, fiveDigits } from '../regions/counties.ts';

const programSchema = z.strictObject({
  /** Five digits for a county, two for a state. */
  place: z.string().regex(/^\d{2}(\d{3})?$/),
  preset: z.string(),
  format: z.string(),
  /**
   * Newest first. Placeholders: {year}, {last_year}, {fips}, {county}, and Florida's {dor} and {dor_name}.
   */
  addresses: z.array(z.string().regex(/^https?:/)).min(1),
  /** Whether to combine the files from all addresses that exist, instead of using only the first. */
  together: z.boolean().optional(),
  within: z.literal('county').optional(),
  publisher: z.string(),
  terms: z.string(),
});

export type SalesProgram = z.infer<typeof programSchema>;

const listSchema = z.strictObject({ from: z.string(), programs: z.array(programSchema) });

const bundled = new URL('./sales-programs.json', import.meta.url).pathname;

/**
 * The program that publishes a county's sales in a separate file. A county program takes precedence over the
 * state's.
 */
export function salesProgramOf(county: number, programs: readonly SalesProgram[]): SalesProgram | undefined {
  const fips = fiveDigits(county);
  return programs.find(each => each.place === fips) ?? programs.find(each => each.place === fips.slice(0, 2));
}

/** @param file another list in the same format, from SALES_FILE @throws PlatError `config` */
export function readSalesPrograms(file = bundled): SalesProgram[] {
  try {
    return listSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).programs;
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new PlatError(
      'config',
      `Can't read the list of sales programs ${file}: ${why}. Correct SALES_FILE.`,
      {
        cause,
      },
    );
  }
}

/**
 * Florida's Department of Revenue numbers counties alphabetically, starting at 11, with Miami-Dade as Dade.
 */
const DADE = 12_086;

export function salesAddresses({ addresses }: SalesProgram, county: number, year: number): string[] {
  const name = countyName(county).replace(/ County$/, '');
  const filled: Record<string, string> = {
    year: String(year),
    last_year: String(year - 1),
    fips: fiveDigits(county),
    county: name,
    dor: String(county === DADE ? 23 : ((county % 1000) - 1) / 2 + 11),
    dor_name: county === DADE ? 'Dade' : name,
  };
  return addresses.map(
    address => new URL(address.replace(/\{(\w+)\}/g, (text, part: string) => filled[part] ?? text)).href,
  );
}
