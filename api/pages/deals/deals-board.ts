import { type Board, type DealSubject, findBoard, openBoard } from '../../../shared/deals/deal-board.ts';
import { DEAL_STAGES, type DealStage } from '../../../shared/deals/deal-terms.ts';
import { acres, isoDate } from '../../../shared/model/figures.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { listDeals } from '../../v1/deals/deal-endpoints.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import { expectedCents } from './deals-price.tsx';

export const STAGE_NAMES: Record<DealStage, string> = {
  under_contract: 'Under contract',
  listed: 'Listed',
  offer_received: 'Offer received',
  offer_accepted: 'Offer accepted',
  in_title: 'In title',
  sold: 'Sold',
  on_hold: 'On hold',
  canceled: 'Canceled',
  '': 'No stage',
};

/** `profitCents`: of the deals whose profit is known. Null if there are none. */
export type Lane = { stage: DealStage; deals: Deal[]; profitCents: bigint | null };

export type BoardView = { version: number; lanes: Lane[]; count: number; today: string };

/**
 * The signed-in user's board. Users without an account of their own still have their own board.
 * @param made whether to create the board if it doesn't exist
 */
export async function boardOf(visit: Visit, { made = false } = {}): Promise<Board | undefined> {
  const account = await requireAccount(visit);
  const owner = { accountId: account.id, userId: visit.session!.user.id };
  const { db } = visit.deps;
  const board = await findBoard(db, owner);
  return board ?? (made ? db.transaction(tx => openBoard(tx, owner)) : undefined);
}

export async function readBoard(visit: Visit): Promise<BoardView> {
  // Read the version first, so that a change in between is sent twice rather than missed.
  const version = (await boardOf(visit))?.version ?? 0;
  const deals = await callEndpoint<Deal[]>(visit, listDeals, { query: { explain: 'true' } });
  // Deals without a stage come first so that users notice them.
  const lanes = ['' as const, ...DEAL_STAGES].map(stage => {
    const laneDeals = deals.filter(({ status }) => status === stage);
    const profits = laneDeals.map(expectedCents).filter(cents => cents !== null);
    const profitCents = profits.length === 0 ? null : profits.reduce((sum, cents) => sum + cents);
    return { stage, deals: laneDeals, profitCents };
  });
  return {
    version,
    today: isoDate(visit.deps.now()),
    count: deals.length,
    lanes: lanes.filter(({ stage, deals: own }) => stage !== '' || own.length > 0),
  };
}

/** Whether a deal's contract expired before the sale. */
export const hasExpired = (
  { status, contract_expiration_date: until }: Pick<Deal, 'status' | 'contract_expiration_date'>,
  today: string,
): boolean => until !== null && until < today && status !== 'sold' && status !== 'canceled';

/** Whether the user is holding the price, which hides advice. */
export const isHeld = ({ advice_held_until: until }: Deal, today: string): boolean =>
  until !== null && until >= today;

/** The deals for a parcel, a listing, or a page. */
export const dealsWith = (deals: readonly Deal[], subject: DealSubject): Deal[] =>
  deals.filter(deal =>
    (['property_id', 'listing_id', 'listing_url'] as const).some(
      name => subject[name] !== undefined && deal[name] === subject[name],
    ),
  );

export const nameOf = ({ address, listing_url, property_id }: Deal): string =>
  titleCase(address ?? '') || listing_url || (property_id === null ? 'Deal' : `Parcel ${property_id}`);

export const lotOf = ({ acreage, county, state }: Deal): string =>
  [acreage === null ? '' : `${acres(acreage)} acres`, [county, state].filter(Boolean).join(', ')]
    .filter(Boolean)
    .join(' · ');
