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

/** The query parameter of every endpoint that may be quoted. */
export const quoteParameter = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .meta({
    description: 'Only tell what it would cost, `{ tokens, at_most }`. Free.',
    override: { type: 'boolean', enum: undefined },
  });

/** Every GET and POST that costs something. */
export const isQuotable = ({ metering, method }: Pick<Endpoint, 'metering' | 'method'>): boolean =>
  metering !== null && (method === 'get' || method === 'post');

type AnyInput = Input<z.ZodType, z.ZodType, z.ZodType>;

/** Whether a call asks what it would cost, and nothing more. */
export const asksQuote = (endpoint: Endpoint, { query }: AnyInput): boolean =>
  isQuotable(endpoint) && (query as { quote?: string }).quote === 'true';

/** What a call would cost: as the endpoint knows it, else its ceiling. */
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
