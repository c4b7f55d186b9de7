import { z } from 'zod';
import { conditionSchema, requiredColumnSchema } from './column-schema.ts';

const priorSaleSchema = z.strictObject({
  date: requiredColumnSchema.describe('Day of the sale.'),
  price: requiredColumnSchema.describe('Price, in USD.'),
  book: requiredColumnSchema
    .describe(
      'What its deed is known by, such as book and page: parcels that share a deed were sold together, and yield no comp.',
    )
    .optional(),
  multi_parcel: z
    .array(conditionSchema)
    .describe('Where the source marks a deed over several parcels: any of these holds.')
    .optional(),
  where: z
    .array(conditionSchema)
    .describe('What the row must fulfil for this sale; all must hold.')
    .optional(),
});

export const salesSchema = z
  .strictObject({
    label: z
      .string()
      .min(1)
      .describe('The `source` that the comps carry. Default: the title, else the name of the feed.'),
    where: z.array(conditionSchema).describe('What a row must fulfil besides; all must hold.'),
    min_price: z.number().nonnegative().describe('Least price of a real sale, in USD. Default: 1.'),
    sale_type: z.string().describe('The `sale_type` that the comps carry. Default: empty.'),
    book: requiredColumnSchema.describe(
      'What the deed of the last sale is known by, such as book and page: parcels that share a deed were sold together, and yield no comp.',
    ),
    multi_parcel: z
      .array(conditionSchema)
      .describe(
        'Where the source marks a deed over several parcels: any of these holds. Without it, and without a book, sales of one day, price and seller are one deed.',
      ),
    prior: z.array(priorSaleSchema).min(1).describe('Earlier sales in further columns of a row.'),
  })
  .partial();

export type SalesFile = z.infer<typeof salesSchema>;
