import { DEAL_COSTS, dollars, parseMoney, toCents } from '../../../shared/deals/deal-terms.ts';
import { usd } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { DealEvent } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Facts, Field } from '../frame/layout.tsx';

export const money = (decimal: string): string => dollars(toCents(decimal));

export const spendOf = (deal: Deal): bigint =>
  DEAL_COSTS.reduce((sum, name) => sum + toCents(deal[name] ?? '0'), 0n);

/** The profit once it is listed for this price: a lot does not sell for more than is asked. */
export function profitAt(deal: Deal, cents: bigint): bigint {
  const { expected_sell_price: hoped } = deal;
  const soldFor = hoped !== null && toCents(hoped) < cents ? toCents(hoped) : cents;
  return soldFor - spendOf(deal);
}

/** What another list price changes: a sale is expected for no more than is asked. */
export function priceFields(deal: Deal, price: string): Record<string, string> {
  const { expected_sell_price: hoped } = deal;
  return { price, ...(hoped !== null && toCents(hoped) > toCents(price) && { expected_sell_price: price }) };
}

/** An amount as it was typed. @throws PlatError `validation_error` */
export function priceIn(written: string): string {
  const price = parseMoney(written);
  if (price === undefined || toCents(price) <= 0n)
    throw new PlatError(
      'validation_error',
      `"${written.slice(0, 40)}" is no price: write $18,400, 18.4k or 18400.50.`,
    );
  return price;
}

/** Where a price is confirmed. @param price the one to begin with */
export const pricePath = (id: string, price?: string): string =>
  `/deals/${id}?change=price${price === undefined ? '' : `&new_price=${encodeURIComponent(price)}`}`;

/** @param asked the new price as it was typed; an empty one is still to be typed */
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
          <Facts kind="key" of={[['Now', usd(price)]]} />
          <Field
            label="New list price"
            name="new_price"
            value={next === undefined ? asked : textOf(next)}
            inputmode="decimal"
            placeholder="$"
            autocomplete="off"
            required
            autofocus={asked === ''}
            error={asked === '' || next !== undefined ? undefined : `"${asked.slice(0, 40)}" is no price.`}
          />
        </div>
        <div id="outcome">
          {isOther && <Outcome deal={deal} price={price} next={next} />}
          <p>
            <small>
              Only Plat's own figure changes: change it at the listing's site, too. You can undo it here, now
              and later from its history.
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
              <button type="submit">Show what it does</button>
            )}
          </div>
        </div>
      </form>
    </dialog>
  );
}

/** 18400 for 18400.00, as people write it. */
const textOf = (decimal: string): string => decimal.replace(/\.00$/, '');

/** What another price does, before it is set. */
function Outcome({ deal, price, next }: { deal: Deal; price: number; next: string }) {
  const { advice, acreage, figures, expected_profit: now, expected_sell_price: hoped } = deal;
  const worth = advice?.valuation_counts ? Number(figures?.mean_adjusted_price ?? 0) : 0;
  const cents = toCents(next);
  const lowered = hoped !== null && toCents(hoped) > cents;
  return (
    <>
      <input type="hidden" name="shown_price" value={next} />
      <Facts
        of={[
          ['Profit', change(money(now), dollars(profitAt(deal, cents)))],
          ['Expected sell price', lowered ? change(money(hoped), money(next)) : null],
          ['Per acre', acreage ? change(usd(price / acreage), usd(Number(next) / acreage)) : null],
          [
            'Against its estimated value',
            worth > 0 ? change(against(price, worth), against(Number(next), worth)) : null,
          ],
        ]}
      />
    </>
  );
}

const change = (before: string, after: string): string =>
  before === after ? `${after}, as now` : `${before} → ${after}`;

/** "41 % below". */
export function against(price: number, worth: number): string {
  const percent = Math.round(100 * Math.abs(1 - price / worth));
  return percent === 0 ? 'at' : `${percent} % ${price < worth ? 'below' : 'above'}`;
}

/**
 * The price that a form sets. @returns undefined where what was shown was of another one
 * @throws PlatError `validation_error`
 */
export function confirmedPrice(form: URLSearchParams): string | undefined {
  const price = priceIn(form.get('new_price') ?? '');
  return form.get('shown_price') === price ? price : undefined;
}

type PriceChange = { was: string | null; is: string | null; event: DealEvent };

/** The changes of price, the last first. */
const priceChanges = (events: readonly DealEvent[]): PriceChange[] =>
  events.flatMap(event => {
    const [was, is] = event.changes.price ?? [];
    return was === undefined || is === undefined ? [] : [{ was, is, event }];
  });

/** The author of what the service found out by itself. */
export const SERVICE = 'plat';

export type UndoablePrice = { event: DealEvent; fields: Record<string, string | null> };

/**
 * What was before the last price that a person has set, as long as it is still that one. An undo is not
 * undone in turn.
 */
export function undoablePrice(deal: Deal, events: readonly DealEvent[]): UndoablePrice | undefined {
  const [last, before] = priceChanges(events);
  if (last === undefined || last.was === null || last.event.author === SERVICE) return undefined;
  if (deal.price !== (last.is === null ? null : Number(last.is))) return undefined;
  if (before !== undefined && before.was === last.is && before.is === last.was) return undefined;
  const hoped = last.event.changes.expected_sell_price;
  return {
    event: last.event,
    fields: { price: last.was, ...(hoped !== undefined && { expected_sell_price: hoped[0] }) },
  };
}

/** The lower price to compare with: the advised one, else one that is cheaper than 60 % of those like it. */
export function otherPrice({ price, suggested_action_price, figures }: Deal): bigint | null {
  if (suggested_action_price !== null) return toCents(suggested_action_price);
  const competitive = figures?.competitive_price;
  if (competitive == null || price === null || Number(competitive) >= price) return null;
  return toCents(competitive);
}

/** No price below makes sense: it is worth that at the least, or has cost it. */
export function lowestPrice(deal: Deal): { cents: bigint; why: string } | null {
  const low = deal.advice?.valuation_counts ? deal.figures?.low_price : null;
  const spend = spendOf(deal);
  if (low != null && toCents(low) > spend)
    return { cents: ((toCents(low) + 50n) / 100n) * 100n, why: 'low end of the 80 % range' };
  return spend > 0n ? { cents: spend, why: 'what it has cost' } : null;
}
