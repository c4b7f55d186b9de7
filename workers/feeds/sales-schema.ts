import { z } from 'zod';
import { conditionSchema, requiredColumnSchema } from './column-schema.ts';

const priorSaleSchema = z.strictObject({
  date: requiredColumnSchema.describe('Date of the sale.'),
  price: requiredColumnSchema.describe('Sale price, in USD.'),
  book: requiredColumnSchema
    .describe(
      'Identifier of the deed, such as book and page. Parcels on the same deed were sold together and do not become comps.',
    )
    .optional(),
  multi_parcel: z
    .array(conditionSchema)
    .describe('Conditions that identify deeds covering several parcels. One match is enough.')
    .optional(),
  where: z.array(conditionSchema).describe('Conditions for this sale. All must be true.').optional(),
});

export const salesSchema = z
  .strictObject({
    label: z
      .string()
      .min(1)
      .describe('The `source` of the comps. Default: the title of the feed, or its name.'),
    where: z
      .array(conditionSchema)
      .describe('Further conditions for a sale to become a comp. All must be true.'),
    min_price: z.number().nonnegative().describe('Minimum price of a real sale, in USD. Default: 1.'),
    sale_type: z.string().describe('The `sale_type` of the comps. Default: empty.'),
    book: requiredColumnSchema.describe(
      'Identifier of the deed of the last sale, such as book and page. Parcels on the same deed were sold together and do not become comps.',
    ),
    multi_parcel: z
      .array(conditionSchema)
      .describe(
        'Conditions that identify deeds covering several parcels. One match is enough. If both this and book are missing, sales with the same date, price, and seller count as one deed.',
      ),
    prior: z.array(priorSaleSchema).min(1).describe('Earlier sales in other columns of the row.'),
  })
  .partial();

export type SalesFile = z.infer<typeof salesSchema>;
