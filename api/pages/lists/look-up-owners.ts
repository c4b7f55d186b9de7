import { listUncallableRows } from '../../../shared/lists/list-calls.ts';
import { costOf, PRICES, tokensText } from '../../../shared/model/prices.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { requireAccount, type Visit } from '../frame/visit.ts';
import { lookUp, refusalOf } from '../parts/parcel-phones.ts';
import { readDetail } from '../parts/read-detail.ts';
import type { ListChange } from './change-list.ts';
import { plural } from './list-words.ts';

/** The endpoint's limit per minute. */
const MAX_OWNERS = 20;
/** Errors that all remaining lookups would get too. */
const STOPS = new Set([402, 403, 429]);

/** Before any phone numbers are looked up, shows their highest possible price for the selected rows. */
export function priceOfPhones(ids: readonly number[]): ListChange {
  if (ids.length === 0) return { words: 'Select at least one row.', bad: true };
  if (ids.length > MAX_OWNERS)
    return {
      words: `Select up to ${MAX_OWNERS} rows. You can look up that many owners per minute.`,
      bad: true,
    };
  const most = tokensText(costOf(PRICES.phones, ids.length));
  return {
    words: `Look up phone numbers for ${plural(ids.length, 'owner')}? This costs up to ${most}: ${PRICES.phones.tokens} per owner with a number. Owners without a number, or looked up in the last 30 days, cost nothing. `,
    bad: true,
    next: {
      does: 'phones_now',
      label: `Look up numbers (up to ${most})`,
      fields: ids.map(id => ['property_id', String(id)] as const),
    },
  };
}

/** Looks up owners one by one, as the parcel page does. The rows then show their numbers. */
export async function lookUpOwners(
  visit: Visit,
  listId: string,
  ids: readonly number[],
): Promise<ListChange> {
  const { companyId } = await requireAccount(visit);
  const uncallable = await listUncallableRows(visit.deps.db, companyId, listId);
  const found: { label: string; href: string }[] = [];
  const without: string[] = [];
  let asked = 0;
  let tokens = 0;
  let stopped = '';
  for (const [done, id] of ids.slice(0, MAX_OWNERS).entries()) {
    let owner = `parcel ${id}`;
    visit.tokensUsed = 0;
    if (uncallable.has(id)) {
      asked++;
      continue;
    }
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
  const none = without.length > 0 ? ` No number for ${without.join(', ')}.` : '';
  const skipped = asked > 0 ? ` Skipped: ${plural(asked, 'owner')} who asked you not to call.` : '';
  const where = found.length > 0 ? 'Numbers found for ' : '';
  return {
    words: `${plural(tokens, 'token')} used.${none}${skipped}${stopped} ${where}`,
    bad: stopped !== '',
    links: found,
  };
}
