import { PlatError } from '../../../shared/base/errors.ts';
import { type ExportRequest, mostRows } from '../../../shared/exports/export-request.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import { selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Database } from '../../http/database.ts';
import { validationError } from '../../http/error-responses.ts';
import { requireFilterRegions } from '../parcels/filter/filter-regions.ts';

/** What a file has, and how much of it the company has had. */
export type ExportPrice = { rows: number; free_rows: number; tokens: number };

/**
 * What an export would cost now, at no cost.
 * @throws PlatError `validation_error` for what cannot be exported, `unprocessable` as the filter
 */
export async function priceExport(
  database: Database,
  companyId: string,
  { filter, format }: ExportRequest,
  asOf: Date,
): Promise<ExportPrice> {
  const body = filterSchema.parse(filter) as FilterBody;
  const selection = await inField('filter', async () => {
    await requireFilterRegions(database, body);
    return selectParcels(body, asOf, database);
  });
  const most = mostRows(format);
  const [counted] = await database.runComposed<{ rows: number; free: number }>(
    'exports/count_rows',
    { from: selection.from, where: selection.where },
    { ...selection.values, company_id: companyId, most: most + 1 },
  );
  const { rows, free } = counted!;
  if (rows > most)
    throw validationError({
      [format === 'kml' ? 'format' : 'filter']: [
        format === 'kml'
          ? `kml has at most ${most} rows, and the filter finds more: make it narrower, or choose another format`
          : `finds more than ${most} parcels, the most of one file: make it narrower, or order several`,
      ],
    });
  return { rows, free_rows: free, tokens: rows - free };
}

/** Rejected fields by their place in the body. */
async function inField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlatError) || error.code !== 'validation_error') throw error;
    const details = Object.entries(error.details ?? {}).map(([name, reasons]) => [
      `${field}.${name}`,
      reasons,
    ]);
    throw validationError(Object.fromEntries(details));
  }
}
