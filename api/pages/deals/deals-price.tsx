import { DEAL_COSTS, dollars, parseMoney, toCents } from '../../../shared/deals/deal-terms.ts';
import { maxOf, stepAbove } from '../../../shared/kernels/deal-grade.ts';
import { usd } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { DealEvent } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Facts, Field } from '../frame/layout.tsx';

export const money = (decimal: string): string => dollars(toCents(decimal));

export const spendOf = (deal: Deal): bigint =>
  DEAL_COSTS.reduce((sum, name) => sum + toCents(deal[name] ?? '0'), 0n);

/** The estimated value in cents. Null if there is none, or if it doesn't count. */
export function estimatedCents({ figures }: Deal): bigint | null {
  if (!figures || figures.valuation_problems.length > 0 || figures.mean_adjusted_price === null) return null;
  return ((toCents(figures.mean_adjusted_price) + 50n) / 100n) * 100n;
}

/** What the lot is expected to sell for: the expected sale price, or else the list price. */
export function soldForCents({ price, expected_sell_price: expected }: Deal): bigint | null {
  if (expected !== null) return toCents(expected);
  return price === null ? null : toCents(price.toFixed(2));
}

/** The expected profit. Until a price is known, the profit at the estimated value. Null without either. */
export function expectedCents(deal: Deal): bigint | null {
  const soldFor = soldForCents(deal) ?? estimatedCents(deal);
  return soldFor === null ? null : soldFor - spendOf(deal);
}

/** The profit at a list price. A lot doesn't sell for more than its list price. */
export function profitAt(deal: Deal, cents: bigint): bigint {
  const { expected_sell_price: expected } = deal;
  const soldFor = expected !== null && toCents(expected) < cents ? toCents(expected) : cents;
  return soldFor - spendOf(deal);
}

/** The fields that a new list price changes. If the expected sale price is higher, it is lowered to match. */
export function priceFields(deal: Deal, price: string): Record<string, string> {
  const { expected_sell_price: expected } = deal;
  const isLowered = expected !== null && toCents(expected) > toCents(price);
  return { price, ...(isLowered && { expected_sell_price: price }) };
}

/** Parses an entered price. @throws PlatError `validation_error` */
export function priceIn(entered: string): string {
  const price = parseMoney(entered);
  if (price === undefined || toCents(price) <= 0n)
    throw new PlatError(
      'validation_error',
      `"${entered.slice(0, 40)}" isn't a price. Enter $18,400, 18.4k, or 18400.50.`,
    );
  return price;
}

/** The URL of the price dialog. @param price the initial value */
export const pricePath = (id: string, price?: string): string =>
  `/deals/${id}?change=price${price === undefined ? '' : `&new_price=${encodeURIComponent(price)}`}`;

/** @param asked the new price as entered. Empty before the user enters one */
export function ConfirmPrice({ deal, asked }: { deal: Deal; asked: string }) {
  const { id, price } = deal;
  if (price === null) return null;
  const next = parseMoney(asked);
  const isOther = next !== undefined && toCents(next) > 0n && Number(next) !== price;
  return (
    <dialog
      open
      id="price-dialog"
      role="alertdialog"
      aria-labelledby="price-title"
      aria-describedby="outcome"
    >
      <form method="get" action={`/deals/${id}`} class="stack">
        <input type="hidden" name="change" value="price" />
        <h2 id="price-title">Change the list price?</h2>
        <div class="row">
          <Facts kind="key" of={[['Current', usd(price)]]} />
          <Field
            label="New list price"
            name="new_price"
            value={next === undefined ? asked : money(next)}
            inputmode="decimal"
            placeholder="$"
            autocomplete="off"
            required
            autofocus={asked === ''}
            error={asked === '' || next !== undefined ? undefined : `"${asked.slice(0, 40)}" isn't a price.`}
          />
        </div>
        <div id="outcome">
          {isOther && <Outcome deal={deal} price={price} next={next} />}
          <p>
            <small>
              This changes the price in Plat only, so update the listing site too. You can undo it later from
              the deal's history.
            </small>
          </p>
          <div class="buttons">
            <a class="button second" href={`/deals/${id}`} autofocus={asked !== ''}>
              Keep {usd(price)}
            </a>
            {isOther ? (
              <button type="submit" formmethod="post" name="do" value="price">
                Change to {money(next)}
              </button>
            ) : (
              <button type="submit">Preview</button>
            )}
          </div>
        </div>
      </form>
    </dialog>
  );
}

/** A preview of what a new price changes. */
function Outcome({ deal, price, next }: { deal: Deal; price: number; next: string }) {
  const { advice, acreage, figures, expected_profit: now, expected_sell_price: expected } = deal;
  const estimate = advice?.valuation_counts ? Number(figures?.mean_adjusted_price ?? 0) : 0;
  const cents = toCents(next);
  const isLowered = expected !== null && toCents(expected) > cents;
  return (
    <>
      <input type="hidden" name="shown_price" value={next} />
      <Facts
        of={[
          ['Profit', change(money(now), dollars(profitAt(deal, cents)))],
          ['Expected sale price', isLowered ? change(money(expected), money(next)) : null],
          ['Price per acre', acreage ? change(usd(price / acreage), usd(Number(next) / acreage)) : null],
          [
            'Compared with estimated value',
            estimate > 0 ? change(against(price, estimate), against(Number(next), estimate)) : null,
          ],
        ]}
      />
    </>
  );
}

const change = (before: string, after: string): string =>
  before === after ? `${after} (no change)` : `${before} → ${after}`;

/** "41% below". */
export function against(price: number, estimate: number): string {
  const percent = Math.round(100 * Math.abs(1 - price / estimate));
  return percent === 0 ? 'equal to' : `${percent}% ${price < estimate ? 'below' : 'above'}`;
}

/**
 * The price that a form confirms. @returns undefined if the form showed the effects of another price
 * @throws PlatError `validation_error`
 */
export function confirmedPrice(form: URLSearchParams): string | undefined {
  const price = priceIn(form.get('new_price') ?? '');
  return form.get('shown_price') === price ? price : undefined;
}

type PriceChange = { was: string | null; is: string | null; event: DealEvent };

/** Price changes, latest first. */
const priceChanges = (events: readonly DealEvent[]): PriceChange[] =>
  events.flatMap(event => {
    const [was, is] = event.changes.price ?? [];
    return was === undefined || is === undefined ? [] : [{ was, is, event }];
  });

/** The author of automatic changes. */
export const SERVICE = 'plat';

export type UndoablePrice = { event: DealEvent; fields: Record<string, string | null> };

/**
 * The price before a user last changed it, as long as the deal still has the changed price. An undo can't be
 * undone.
 */
export function undoablePrice(deal: Deal, events: readonly DealEvent[]): UndoablePrice | undefined {
  const [last, before] = priceChanges(events);
  if (last === undefined || last.was === null || last.event.author === SERVICE) return undefined;
  if (deal.price !== (last.is === null ? null : Number(last.is))) return undefined;
  if (before !== undefined && before.was === last.is && before.is === last.was) return undefined;
  const expected = last.event.changes.expected_sell_price;
  return {
    event: last.event,
    fields: { price: last.was, ...(expected !== undefined && { expected_sell_price: expected[0] }) },
  };
}

/**
 * Another price to compare: the advised price or, if there is none, the highest price that is lower per acre
 * than 60% of similar listings and not below the estimate. Null if that isn't below the current price, or if
 * the estimate doesn't count.
 */
export function otherPrice({ price, advice, figures }: Deal): bigint | null {
  if (advice === null || !advice.valuation_counts) return null;
  if (advice.price !== null) return toCents(advice.price);
  const { competitive_price: competitive, mean_adjusted_price: estimate } = figures ?? {};
  if (competitive == null || estimate == null || price === null) return null;
  const other = maxOf(toCents(competitive), stepAbove(toCents(estimate)));
  return other < toCents(price.toFixed(2)) ? other : null;
}

/**
 * The lowest price that Plat would advise: the estimate or the costs, whichever is higher. Null if the
 * current price is already that low.
 */
export function lowestPrice(deal: Deal): { cents: bigint; why: string } | null {
  const { advice, figures, price } = deal;
  const estimate = advice?.valuation_counts ? toCents(figures?.mean_adjusted_price ?? '0') : 0n;
  const spend = spendOf(deal);
  const lowest = maxOf(estimate, spend);
  if (lowest === 0n || (price !== null && toCents(price.toFixed(2)) <= lowest)) return null;
  return estimate > spend
    ? { cents: ((estimate + 50n) / 100n) * 100n, why: 'estimated value' }
    : { cents: spend, why: "what you've spent" };
}
