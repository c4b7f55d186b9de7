import { parseMoney } from '../../../shared/deals/deal-terms.ts';
import { OFFER_BASES, type OfferBase } from '../../../shared/lists/offer.ts';
import { type PriceRule, priceByRule } from '../../../shared/lists/price-by-rule.ts';
import { usd } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { MAX_NAMED } from '../../v1/lists/add-list-rows.ts';
import { changeRows } from '../../v1/lists/change-list-rows.ts';
import { findList } from '../../v1/lists/list-schema.ts';
import { callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import type { ListChange } from './change-list.ts';
import { plural } from './list-words.ts';

type Price = { property_id: number; offer: number | null };

/** An empty text is the computed price. */
function priceOf(text: string): number | null {
  if (text.trim() === '') return null;
  const price = Number(parseMoney(text));
  if (Number.isInteger(price) && price > 0) return price;
  throw new PlatError(
    'validation_error',
    `"${text.slice(0, 40)}" isn't a price. Enter whole dollars, such as 18,400 or 18k, or nothing for the computed price.`,
  );
}

async function setPrices(visit: Visit, id: string, prices: readonly Price[]): Promise<void> {
  for (let from = 0; from < prices.length; from += MAX_NAMED)
    await callEndpoint(visit, changeRows, {
      params: { id },
      body: { offers: prices.slice(from, from + MAX_NAMED) },
    });
}

const undoOf = (prices: readonly { property_id: number; before: number | string | null }[]) => ({
  does: 'offers',
  label: 'Undo',
  fields: prices.map(({ property_id, before }) => ['price', `${property_id}:${before ?? ''}`] as const),
});

/** Saves the price of one row. */
export async function enterOffer(visit: Visit, id: string): Promise<ListChange> {
  const { form } = visit;
  const property_id = Number(form.get('property_id'));
  const offer = priceOf(form.get('offer') ?? '');
  await setPrices(visit, id, [{ property_id, offer }]);
  const words = offer === null ? 'Computed price restored ' : `Offer of ${usd(offer)} saved `;
  return { words, next: undoOf([{ property_id, before: form.get('before') }]) };
}

/** Brings earlier prices back. */
export async function undoOffers(visit: Visit, id: string): Promise<ListChange> {
  const prices = visit.form.getAll('price').map(text => {
    const [property_id = '', price = ''] = text.split(':');
    return { property_id: Number(property_id), offer: price === '' ? null : Number(price) };
  });
  await setPrices(visit, id, prices);
  return { words: 'Change undone' };
}

/** `acre` in the form's rule is a price per acre. The other rules are percentages. */
function ruleOf({ form }: Visit): PriceRule {
  const of = form.get('rule') ?? '';
  const text = (form.get('amount') ?? '').replace('%', '');
  const amount = Number(parseMoney(text));
  if (!(amount > 0))
    throw new PlatError('validation_error', `"${text.slice(0, 40)}" isn't a number above 0.`);
  if (of === 'acre') return { per_acre: amount };
  if (!OFFER_BASES.includes(of as OfferBase) || amount > 200)
    throw new PlatError('validation_error', 'Enter a percentage of up to 200.');
  return { percent: amount, of: of as OfferBase };
}

/** Prices all rows that need a price by another rule. */
export async function priceRest(visit: Visit, id: string): Promise<ListChange> {
  const { db } = visit.deps;
  const { companyId } = await requireAccount(visit);
  const { prices, unpriced } = await priceByRule(
    db,
    companyId,
    await findList(db, companyId, id),
    ruleOf(visit),
  );
  await setPrices(
    visit,
    id,
    prices.map(({ property_id, offer }) => ({ property_id, offer })),
  );
  const rest = unpriced === 0 ? '' : `. ${plural(unpriced, 'row')} can't be priced this way`;
  return {
    words: `${plural(prices.length, 'row')} priced${rest} `,
    ...(prices.length > 0 && { next: undoOf(prices) }),
  };
}
