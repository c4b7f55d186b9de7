import { isGrouped, type ListRecord, type RowsPer } from '../../../shared/lists/list-terms.ts';
import { requireTokensLeft } from '../../http/authorize.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';

/**
 * What calls may reveal about list rows that the company hasn't paid for. Signed-in users see everything,
 * because pages show lists for free.
 */

type Reader = Pick<CallContext, 'user'>;
type Kept = RowsPer & Pick<ListRecord, 'unread_rows' | 'rows' | 'unread'>;

/** Whether the total number of rows may be disclosed. The number of owners is a separate question. */
const isCountDisclosed = ({ unread_rows, unread }: Kept, { user }: Reader): boolean =>
  user !== undefined ||
  unread_rows === 'named' ||
  (unread_rows === 'counted' && unread >= MIN_DISCLOSED_COUNT);

/** The number of rows in a list if that may be disclosed, otherwise the number of rows that were read. */
export const disclosedRows = (list: Kept, reader: Reader): number =>
  isCountDisclosed(list, reader) ? list.rows : list.rows - list.unread;

/** Whether counts by status cover unread rows. Which rows share an owner is paid data too. */
export const coversUnread = (list: Kept, reader: Reader): boolean =>
  reader.user !== undefined || (isCountDisclosed(list, reader) && (!isGrouped(list) || list.unread === 0));

/**
 * Whether reading a list could reveal more than it charges for: which rows exist, or which share an owner.
 * The number of hidden rows doesn't affect the result, so that the result doesn't reveal it.
 */
export const isVeiled = (list: Kept, { user }: Reader): boolean =>
  user === undefined && (list.unread_rows !== 'named' || (isGrouped(list) && list.unread > 0));

/**
 * Lets an account read a page of a veiled list only if it could pay for the page. Otherwise, a refused charge
 * would reveal that the page has rows.
 * @throws PlatError from quotaError
 */
export function requireTokensForPage({ account, now }: CallContext, pageSize: number): void {
  const need = Math.min(pageSize, MIN_DISCLOSED_COUNT);
  requireTokensLeft(account, now.getTime(), need, `This page needs up to ${need} tokens`);
}
