import { z } from 'zod';
import { countyOf } from '../model/property-id.ts';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import { enqueueAndNotify, type JobDefinition } from '../platform/queue/jobs.ts';
import {
  DEAL_COSTS,
  DEAL_MONEY,
  type DealStage,
  type DealType,
  type FetchStatus,
  fromCents,
  MAX_CENTS,
  MAX_DEALS,
  toCents,
} from './deal-terms.ts';

const fetchPayload = z.strictObject({ deal: z.uuid() });

/**
 * Finds a deal's live listing and grades it. A person is waiting, so attempts are only 1, 2, 4, and 8 seconds
 * apart. If all fail, the daily run finds the listing.
 */
export const dealFetch: JobDefinition<z.infer<typeof fetchPayload>> = {
  name: 'deal.fetch',
  queue: 'deals',
  payload: fetchPayload,
  key: ({ deal }) => deal,
  attempts: 5,
  backoffMs: 1_000,
};

/** The board's owner: the signed-in user, or else the account's user, or else the account. */
export type Owner = {
  accountId: string;
  userId?: string | undefined;
  /** The person making the changes, if it isn't the owner. */
  author?: string;
};

export type Board = { id: string; version: number; author: string };

type Money = Partial<Record<(typeof DEAL_MONEY)[number], string | null>>;

/**
 * Fields that the user sets. Amounts are decimal strings, and dates are 'YYYY-MM-DD'. null removes a value.
 */
export type DealFields = Money & {
  status?: DealStage;
  deal_type?: DealType;
  contract_expiration_date?: string | null;
  closing_date?: string | null;
  /**
   * The user's list price. It applies until the live listing's price changes, or until a listing is found.
   */
  price?: string | null;
};

/** The user's response to advice: snooze it until a date, or dismiss it until it changes. */
type AdviceAnswer = { advice_held_until?: string | null; advice_dismissed?: boolean };

export type DealSubject = { property_id?: number; listing_id?: string; listing_url?: string };

export type DealChange = DealFields &
  AdviceAnswer & {
    /** Position in the column, starting at 0. Numbers past the end are treated as the end. */
    position?: number;
  };

export async function findBoard(db: Db, { accountId, userId }: Owner): Promise<Board | undefined> {
  return (await db.run<Board>('deals/find_board', { account_id: accountId, user_id: userId ?? null }))[0];
}

/** Returns the board, creating it if needed. */
export async function openBoard(db: Db, owner: Owner): Promise<Board> {
  await db.run('deals/add_board', { account_id: owner.accountId, user_id: owner.userId ?? null });
  const board = (await findBoard(db, owner))!;
  return { ...board, author: owner.author ?? board.author };
}

/** Locks the board until the transaction ends. */
async function lockBoard(db: Db, owner: Owner): Promise<Board> {
  const board = await openBoard(db, owner);
  await db.run('deals/lock_board', { board_id: board.id });
  return board;
}

async function sign(db: Db, author: string, cause: string): Promise<void> {
  await db.run('deals/sign_changes', { author, cause });
}

/**
 * Adds a deal and enqueues the job that finds its listing and grades it. Run it in a transaction, like the
 * other changes.
 * @returns the deal's id
 * @throws PlatError `validation_error` for an unknown parcel or comp, `unprocessable` for a full board
 */
export async function addDeal(
  db: Db,
  owner: Owner,
  subject: DealSubject,
  fields: DealFields,
): Promise<string> {
  const { property_id = null, listing_id = null, listing_url = null } = subject;
  const fips = await countyOfSubject(db, property_id, listing_id);
  requireSpend(fields);
  const board = await lockBoard(db, owner);
  const [row] = await db.run<{ deals: number }>('deals/count_deals', { board_id: board.id });
  if (row!.deals >= MAX_DEALS)
    throw new PlatError('unprocessable', `The board already has ${MAX_DEALS} deals. Remove one first.`);
  const price = fields.price ?? null;
  const listed = price === null ? null : await listedPrice(db, listing_id, listing_url);
  await sign(db, board.author, 'added');
  const [added] = await db.run<{ id: string }>('deals/insert_deal', {
    board_id: board.id,
    stage: fields.status ?? 'listed',
    property_id,
    listing_id,
    url: listing_url,
    fips,
    deal_type: fields.deal_type ?? 'cash_close',
    ...moneyOf(fields),
    contract_expiration_date: fields.contract_expiration_date ?? null,
    closing_date: fields.closing_date ?? null,
    own_price: price,
    listed_price: listed,
  });
  const { id } = added!;
  await db.run('deals/touch_boards', { board_ids: [board.id] });
  await enqueueAndNotify(db, dealFetch, { deal: id });
  return id;
}

/** The current price of a deal's live listing. */
async function listedPrice(db: Db, listingId: string | null, url: string | null): Promise<string | null> {
  const [row] = await db.run<{ price: string }>('deals/find_listed_price', { listing_id: listingId, url });
  return row?.price ?? null;
}

async function countyOfSubject(
  db: Db,
  propertyId: number | null,
  listingId: string | null,
): Promise<number | null> {
  const ofParcel = propertyId === null ? null : countyOf(propertyId);
  // Larger numbers aren't county codes and don't fit in the column.
  const county = ofParcel !== null && ofParcel < 100_000 ? ofParcel : null;
  const [row] = await db.run<{ parcel: boolean; listing: boolean; fips: number | null }>('deals/find_known', {
    fips: county,
    id: propertyId,
    listing_id: listingId,
  });
  const { parcel, listing, fips } = row!;
  if (propertyId !== null && !parcel) throw refused('property_id', 'is not the id of a parcel on the roll');
  if (listingId !== null && !listing) throw refused('listing_id', 'is not the id of a comp');
  return county ?? fips;
}

function refused(field: string, why: string): PlatError {
  return new PlatError('validation_error', `Rejected: ${field} ${why}.`, {
    details: { [field]: [why] },
  });
}

function requireSpend(amounts: Money): void {
  const spend = DEAL_COSTS.reduce((sum, name) => sum + toCents(amounts[name] ?? '0'), 0n);
  if (spend > MAX_CENTS)
    throw refused('purchase_price', `and the other costs must not exceed ${fromCents(MAX_CENTS)} in total`);
}

type Row = Required<Omit<DealFields, 'price'>> & {
  position: number;
  listing_id: string | null;
  listing_url: string | null;
  fetch_status: FetchStatus;
  own_price: string | null;
  own_price_over: string | null;
  own_price_since: string | null;
  listed_price: string | null;
  suggested_action: string;
  suggested_action_price: string | null;
  advised_price: string | null;
  advice_held_until: string | null;
  advice_dismissed_on: string | null;
};

/** @returns whether the board has this deal. @throws PlatError `validation_error` */
export async function changeDeal(db: Db, owner: Owner, id: string, change: DealChange): Promise<boolean> {
  const board = await lockBoard(db, owner);
  const [before] = await db.run<Row>('deals/get_deal', { board_id: board.id, deal_id: id });
  if (before === undefined) return false;
  const { price, position, advice_dismissed: dismissed, ...fields } = change;
  requireAdvice(before, change);
  const after = { ...before, ...given(fields) };
  requireSpend(after);
  let standsAlone = before.own_price_since !== null;
  if (price !== undefined) {
    const { listed_price, listing_id, listing_url } = before;
    after.own_price = price;
    after.own_price_over =
      price === null ? null : (listed_price ?? (await listedPrice(db, listing_id, listing_url)));
    standsAlone = price !== null && before.fetch_status !== 'found';
  }
  await sign(db, board.author, causeOf(before, after, price));
  after.position = await place(db, board.id, id, before, { status: after.status, position });
  await db.run('deals/update_deal', {
    board_id: board.id,
    deal_id: id,
    stage: after.status,
    place: after.position,
    deal_type: after.deal_type,
    ...moneyOf(after),
    contract_expiration_date: after.contract_expiration_date,
    closing_date: after.closing_date,
    own_price: after.own_price,
    listed_price: after.own_price_over,
    has_listing: standsAlone,
    held_until: after.advice_held_until,
    dismissed: dismissed ?? before.advice_dismissed_on !== null,
  });
  await db.run('deals/touch_boards', { board_ids: [board.id] });
  // Moving within a column or responding to advice doesn't change the grade.
  const isPlaced =
    before.status === after.status &&
    Object.keys(change).every(name => /^(position|status|advice_.*)$/.test(name));
  if (!isPlaced) await enqueueAndNotify(db, dealFetch, { deal: id });
  return true;
}

/** @throws PlatError `validation_error` for a response to advice if the deal has no advice */
function requireAdvice(
  before: Row,
  { advice_held_until: until, advice_dismissed: dismissed }: DealChange,
): void {
  if (before.suggested_action !== '') return;
  if (until) throw refused('advice_held_until', 'needs advice to respond to, and the deal has none now');
  if (dismissed) throw refused('advice_dismissed', 'needs advice to respond to, and the deal has none now');
}

/** A deal's amounts by column; null if an amount is missing. */
const moneyOf = (fields: DealFields | Row): Record<string, unknown> =>
  Object.fromEntries(DEAL_MONEY.map(name => [name, fields[name] ?? null]));

const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

function causeOf(before: Row, after: Row, price: string | null | undefined): string {
  const advised = before.advised_price ?? before.suggested_action_price;
  if (price != null && advised !== null && toCents(price) === toCents(advised)) return 'advice taken';
  return before.status === after.status ? 'edited' : 'moved';
}

/**
 * Shifts cards to close the gap at a card's old position and to open one at its new position. @returns the
 * new position
 */
async function place(
  db: Db,
  boardId: string,
  id: string,
  from: { status: DealStage; position: number },
  to: { status: DealStage; position: number | undefined },
): Promise<number> {
  if (to.position === undefined && to.status === from.status) return from.position;
  const [row] = await db.run<{ deals: number }>('deals/count_column', {
    board_id: boardId,
    stage: to.status,
    deal_id: id,
  });
  const at = Math.min(to.position ?? Number.POSITIVE_INFINITY, row!.deals);
  await db.run('deals/shift_cards', {
    board_id: boardId,
    stage: from.status,
    first_place: from.position,
    offset: -1,
    deal_id: id,
  });
  await db.run('deals/shift_cards', {
    board_id: boardId,
    stage: to.status,
    first_place: at,
    offset: 1,
    deal_id: id,
  });
  return at;
}

/** @returns whether the board had this deal */
export async function removeDeal(db: Db, owner: Owner, id: string): Promise<boolean> {
  const board = await lockBoard(db, owner);
  await sign(db, board.author, 'removed');
  const [row] = await db.run<{ status: DealStage; position: number }>('deals/delete_deal', {
    board_id: board.id,
    deal_id: id,
  });
  if (row === undefined) return false;
  await db.run('deals/shift_cards', {
    board_id: board.id,
    stage: row.status,
    first_place: row.position,
    offset: -1,
    deal_id: id,
  });
  await db.run('deals/touch_boards', { board_ids: [board.id] });
  return true;
}
