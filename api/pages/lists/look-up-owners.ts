import { costOf, PRICES, tokensText } from '../../../shared/model/prices.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import type { Visit } from '../frame/visit.ts';
import { lookUp, refusalOf } from '../parts/parcel-phones.ts';
import { readDetail } from '../parts/read-detail.ts';
import type { ListChange } from './change-list.ts';
import { plural } from './list-words.ts';

/** As many as the endpoint answers at once. */
const MOST = 20;
/** What a look-up is refused with that concerns all those behind it, too. */
const STOPS = new Set([402, 403, 429]);

/** What telephone numbers of the selected rows' owners can cost, before any is looked up. */
export function priceOfPhones(ids: readonly number[]): ListChange {
  if (ids.length === 0) return { words: 'Select rows first.', bad: true };
  if (ids.length > MOST)
    return { words: `Select at most ${MOST} rows: so many are looked up in a minute.`, bad: true };
  const most = tokensText(costOf(PRICES.phones, ids.length));
  return {
    words: `Look up telephone numbers of ${plural(ids.length, 'owner')}? It costs at most ${most}: ${PRICES.phones.tokens} for each with a number, nothing for those without or looked up in the last 30 days. `,
    bad: true,
    next: {
      does: 'phones_now',
      label: `Look up for at most ${most}`,
      fields: ids.map(id => ['property_id', String(id)] as const),
    },
  };
}

/** Looks them up one after the other, as the parcel's page does, which shows them from then on. */
export async function lookUpOwners(visit: Visit, ids: readonly number[]): Promise<ListChange> {
  const found: { label: string; href: string }[] = [];
  const without: string[] = [];
  let tokens = 0;
  let stopped = '';
  for (const [done, id] of ids.slice(0, MOST).entries()) {
    let owner = `parcel ${id}`;
    visit.tokensUsed = 0;
    try {
      const detail = await readDetail(visit, String(id));
      if (detail.owner_name !== null) owner = titleCase(String(detail.owner_name));
      const { matched } = await lookUp(visit, detail);
      tokens += visit.tokensUsed;
      if (matched) found.push({ label: owner, href: `/data?parcel=${id}#owner` });
      else without.push(owner);
    } catch (error) {
      const { words, status } = refusalOf(error);
      if (STOPS.has(status)) {
        stopped = ` ${words} ${plural(ids.length - done, 'owner')} not looked up.`;
        break;
      }
      without.push(owner);
    }
  }
  visit.tokensUsed = tokens;
  const none = without.length > 0 ? ` None found: ${without.join(', ')}.` : '';
  const told = found.length > 0 ? 'Numbers on the page of each: ' : 'No numbers.';
  return {
    words: `${plural(tokens, 'token')} used.${none}${stopped} ${told}`,
    bad: stopped !== '',
    links: found,
  };
}
