import type { DealSubject } from '../../../shared/deals/deal-board.ts';
import { acres } from '../../../shared/model/figures.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { addListing, listDeals } from '../../v1/deals/deal-endpoints.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { getProperty } from '../../v1/parcels/property-detail.ts';
import type { FormResult } from '../frame/forms.ts';
import { Field, Notice, narrowPage, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit } from '../frame/visit.ts';
import { dealsWith } from './deals-board.ts';
import { DealLinks, readFields, requireStage, StageField } from './deals-form.tsx';

/** Adds a parcel that the map shows. Asks for its stage, and shows the deals that the board has for it. */
export const addDealPage: Page = {
  path: '/deals/add',
  access: 'app',
  get: () => ({ redirect: '/deals' }),
  show: ask,
  actions: {
    default: visit => ask(visit, {}),
    async add(visit) {
      const fields = requireStage(readFields(visit.form, false));
      const body = { property_id: parcelIn(visit), ...fields };
      return { redirect: `/deals/${(await callEndpoint<Deal>(visit, addListing, { body })).id}` };
    },
  },
};

function parcelIn({ form }: Visit): number {
  const id = form.get('property_id') ?? '';
  if (/^\d{12,13}$/.test(id)) return Number(id);
  throw new PlatError('validation_error', 'Open a parcel on the map, then choose Add deal.');
}

/** The deals on the board for a parcel, a listing, or a page. */
export async function findDeals(visit: Visit, subject: DealSubject): Promise<Deal[]> {
  return dealsWith(await callEndpoint<Deal[]>(visit, listDeals), subject);
}

async function ask(visit: Visit, { bad }: FormResult): Promise<Reply> {
  const id = parcelIn(visit);
  const { form } = visit;
  const parcel = await callEndpoint<ParcelSummary>(visit, getProperty, {
    params: { property_id: String(id) },
  });
  const deals = await findDeals(visit, { property_id: id });
  return narrowPage(
    'Add deal',
    <>
      <p>{wordsOf(parcel)}</p>
      {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
      {deals.length > 0 && (
        <Notice kind="warn">
          This parcel is already on your board: <DealLinks deals={deals} />.
        </Notice>
      )}
      <form method="post" action="/deals/add" class="stack">
        <input type="hidden" name="property_id" value={id} />
        <StageField given={form.get('status')} />
        <Field
          label="Purchase price"
          name="purchase_price"
          value={form.get('purchase_price') ?? ''}
          inputmode="decimal"
          placeholder="$"
          hint="Optional. What you pay for the lot"
        />
        <div class="buttons">
          <Submit label={deals.length > 0 ? 'Add another deal' : 'Add deal'} does="add" />
          <a class="button second" href={`/data?parcel=${id}`} data-close>
            Cancel
          </a>
        </div>
      </form>
    </>,
  );
}

const wordsOf = ({ apn, situs_address: address, effective_acres: size }: ParcelSummary): string =>
  [titleCase(address ?? ''), apn && `APN ${shortApn(apn)}`, size !== null && `${acres(size)} acres`]
    .filter(Boolean)
    .join(' · ');
