import { unwrap } from '../index.ts';
import { COMMON, connectWith, figure, print, readFilter, readOptions, table } from './options.ts';

/** Prints how many parcels a filter finds, and what they cost. */
export async function count(args: string[]): Promise<void> {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: { ...COMMON, json: { type: 'boolean' } },
  });
  const plat = connectWith(values);
  const body = await readFilter(plat, positionals);
  const quote = await unwrap(plat.POST('/api/public/v1/properties/filter/quote/', { body }));
  if (values.json) return print(JSON.stringify(quote));
  if (!quote.quotable)
    return print('This filter names a parcel, a person, or a small area, so it has no count.');
  const { tokens } = quote;
  if (tokens === null) return print(`${figure(quote.at_most)} parcels or fewer`);
  const lines = [
    ['parcels', figure(quote.count)],
    ['tokens for a file', figure(tokens.export)],
    ['tokens for all pages of 500', figure(tokens.all_pages)],
  ];
  print(table(lines));
}
