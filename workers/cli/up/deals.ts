import { setTimeout as sleep } from 'node:timers/promises';
import { asRun, type Pool, sql, transaction } from '../../../shared/db.ts';
import { addDeal, type DealFields, findBoard, type Owner } from '../../../shared/deals.ts';

/** Five lots that the demo user sells, in five stages; they are comps of the bundled listings. */
const DEALS: readonly (DealFields & { apn: string })[] = [
  { apn: '14-341', status: 'listed', purchase_price: '9500.00', agent_fee: '1800.00' },
  { apn: '9-11', status: 'offer_received', purchase_price: '11000.00', closing_costs: '850.00' },
  { apn: '19-15', status: 'offer_accepted', purchase_price: '14500.00', expected_sell_price: '30000.00' },
  {
    ...{ apn: '16-71-02', status: 'in_title', deal_type: 'double_close', purchase_price: '12000.00' },
    ...{
      expected_sell_price: '20500.00',
      contract_expiration_date: '2025-11-15',
      closing_date: '2025-10-31',
    },
  },
  {
    apn: '20-20',
    status: 'sold',
    purchase_price: '3200.00',
    misc_costs: '150.00',
    expected_sell_price: '8600.00',
  },
];

/** Longer than their five jobs take, behind others. */
const PATIENCE_MS = 20_000;

/** Puts the sample's deals on a board that was never used, and waits until workers have found their listings. */
export async function addSampleDeals(pool: Pool, owner: Owner, signal: AbortSignal): Promise<void> {
  const added = await transaction(pool, async client => {
    const run = asRun(client);
    if ((await findBoard(run, owner)) !== undefined) return 0;
    let deals = 0;
    for (const { apn, ...fields } of DEALS) {
      const [listing] = await run<{ id: string }>('deals/find_live', [null, apn, 33_019, null]);
      if (listing === undefined) continue;
      await addDeal(run, owner, { listing_id: listing.id }, fields);
      deals++;
    }
    return deals;
  });
  if (added === 0) return;
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const { rows } = await pool.query<{ waiting: number }>(sql('deals/count_waiting'));
    if (rows[0]!.waiting === 0) return;
    await sleep(100, undefined, { signal });
  }
}
