import { z } from 'zod';
import type { Answer, CallContext, Endpoint, Input } from './endpoint.ts';

/** The metering key for quotes beyond the daily free ones. */
export const QUOTE_KEY = 'public_quote';

export const quote = z
  .object({
    tokens: z
      .int()
      .min(0)
      .nullable()
      .describe('Price of the call in tokens. Null when it is known only after the call has run.'),
    at_most: z.int().min(0).describe('Highest possible price of the call.'),
  })
  .meta({ id: 'Quote' });

export type Quote = z.output<typeof quote>;

export const quoteParameter = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .meta({
    description: 'Return only the price, `{ tokens, at_most }`. Free, apart from quotes of exports.',
    override: { type: 'boolean', enum: undefined },
  });

export const isQuotable = ({ metering, method }: Pick<Endpoint, 'metering' | 'method'>): boolean =>
  metering !== null && (method === 'get' || method === 'post');

type AnyInput = Input<z.ZodType, z.ZodType, z.ZodType>;

export const asksQuote = (endpoint: Endpoint, { query }: AnyInput): boolean =>
  isQuotable(endpoint) && (query as { quote?: string }).quote === 'true';

export async function quoteOf(
  { metering }: Endpoint,
  input: AnyInput,
  resources: object,
  call: CallContext,
): Promise<Answer> {
  const { price, atMost, quote: known } = metering!;
  if (known !== undefined) return known(input, resources, call);
  const body: Quote = { tokens: null, at_most: atMost?.(input) ?? [price].flat()[0]!.tokens };
  return { body, tokens: 0 };
}
