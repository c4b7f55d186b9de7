import { isGrouped } from '../../../shared/lists/list-terms.ts';
import { count, usd } from '../../../shared/model/figures.ts';
import type { ListRow, ParcelList } from '../../v1/lists/list-schema.ts';
import { Select, Submit } from '../frame/layout.tsx';
import { problemWords } from '../parts/problem-words.ts';
import { BASE_WORDS, plural } from './list-words.ts';

type Props = { list: ParcelList; row: ListRow; owner: string; action: string };

/** A field for a row's price, with the computed price. Enter saves it, and with JavaScript, so does Tab. */
export function RowOffer({ list, row, owner, action }: Props) {
  const { property_id: id, offer, offer_source } = row;
  return (
    <form method="post" action={action} class="offer-form">
      <input type="hidden" name="do" value="offer" />
      <input type="hidden" name="property_id" value={id} />
      <input type="hidden" name="before" value={offer_source === 'entered' ? String(offer) : ''} />
      <input
        name="offer"
        id={`offer-${id}`}
        inputmode="decimal"
        value={offer === null ? '' : usd(offer)}
        placeholder="$"
        aria-label={`Offer to ${owner}`}
        aria-describedby={`offer-note-${id}`}
        autocomplete="off"
      />
      <div id={`offer-note-${id}`} class="note">
        <Note list={list} row={row} />
      </div>
    </form>
  );
}

function Note({ list, row }: Pick<Props, 'list' | 'row'>) {
  const { offer, offer_high, offer_source, offer_parcels, computed_offer, needs_review, owner_parcels } = row;
  const parcels = isGrouped(list) ? owner_parcels : 1;
  const isPartial = offer !== null && offer_parcels < parcels;
  return (
    <>
      {offer === null && <span class="badge warn">Needs a price</span>}
      {isPartial && (
        <span class="badge warn">
          {count(offer_parcels)} of {plural(parcels, 'parcel')} priced
        </span>
      )}
      {offer_high !== null && <small>to {usd(offer_high)}</small>}
      {offer_source === 'computed' && !isPartial && list.offer !== null && (
        <small>
          {list.offer.percent}
          {list.offer.percent_high !== null && ` to ${list.offer.percent_high}`}% {BASE_WORDS[list.offer.of]}
        </small>
      )}
      {offer_source === 'entered' && (
        <small>{computed_offer === null ? 'entered' : `computed ${usd(computed_offer)}`}</small>
      )}
      {needs_review.length > 0 && <small>{problemWords(needs_review)}</small>}
    </>
  );
}

const RULES = [
  ['assessed_value', '% of assessed value'],
  ['market_value', '% of market value'],
  ['value', '% of estimate'],
  ['acre', 'dollars per acre'],
] as const;

/** Prices all rows without a price by another rule. */
export const PriceRest = ({ needed, action }: { needed: number; action: string }) => (
  <form method="post" action={action} class="price-rest">
    <label for="amount">Price {needed === 1 ? 'this row' : `these ${count(needed)} rows`} at</label>
    <input
      id="amount"
      name="amount"
      inputmode="decimal"
      class="short"
      required
      value="30"
      autocomplete="off"
    />
    <Select name="rule" aria-label="Rule" options={RULES} given="assessed_value" />
    <Submit label={`Price ${plural(needed, 'row')}`} does="price_rest" kind="small" />
    <small>Prices that the list's own rule computes stay.</small>
  </form>
);
