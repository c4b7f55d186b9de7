import { z } from 'zod';
import type { Answer, CallContext, Endpoint, Input } from './endpoint.ts';

/** What quotes beyond those of a day are counted under. */
export const QUOTE_KEY = 'public_quote';

export const quote = z
  .object({
    tokens: z.int().min(0).nullable().describe('What the call costs; null where only doing it would tell.'),
    at_most: z.int().min(0).describe('The call never costs more.'),
  })
  .meta({ id: 'Quote' });

export type Quote = z.output<typeof quote>;

export const quoteParameter = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .meta({
    description: 'Only tell what it would cost, `{ tokens, at_most }`. Free.',
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
