import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { requireTokensLeft } from '../../http/authorize.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';

/**
 * What calls may learn about rows of a list that the company has not paid for. People who are signed in see
 * lists on pages at no cost, and are told everything.
 */

type Reader = Pick<CallContext, 'user'>;
type Kept = Pick<ListRecord, 'unread_rows' | 'one_per_owner' | 'rows' | 'unread'>;

/** Whether the number of all rows may be said: not how many owners they have. */
const isNumberTold = ({ unread_rows, unread }: Kept, { user }: Reader): boolean =>
  user !== undefined ||
  unread_rows === 'named' ||
  (unread_rows === 'counted' && unread >= MIN_DISCLOSED_COUNT);

/** How many rows a list has, as far as that may be said: else how many were read. */
export const rowsTold = (list: Kept, reader: Reader): number =>
  isNumberTold(list, reader) ? list.rows : list.rows - list.unread;

/** Whether counts by status cover rows that were not read. Which rows have one owner is sold, too. */
export const coversUnread = (list: Kept, reader: Reader): boolean =>
  reader.user !== undefined || (isNumberTold(list, reader) && (!list.one_per_owner || list.unread === 0));

/**
 * Whether reading a list could tell more than it charges for: which rows there are, or which of them are of
 * one owner. Without a look at hidden rows, as their number must not decide.
 */
export const isVeiled = ({ unread_rows, one_per_owner, unread }: Kept, { user }: Reader): boolean =>
  user === undefined && (unread_rows !== 'named' || (one_per_owner && unread > 0));

/**
 * A page of a veiled list is read by those alone who could pay for it: otherwise the refusal would tell rows
 * from none. @throws PlatError as quotaError
 */
export function requireTokensForPage({ account, now }: CallContext, pageSize: number): void {
  const need = Math.min(pageSize, MIN_DISCLOSED_COUNT);
  requireTokensLeft(account, now.getTime(), need, `This page needs up to ${need} tokens`);
}
