import { isGrouped, type RowStatus } from '../../../shared/lists/list-terms.ts';
import { acres, count, day, usd } from '../../../shared/model/figures.ts';
import { mailLines, shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import type { ListRow, ParcelList } from '../../v1/lists/list-schema.ts';
import { Empty, Select, Submit } from '../frame/layout.tsx';
import { replyPath, STATUS_OPTIONS, STATUS_WORDS } from './list-words.ts';
import { RowOffer } from './row-offer.tsx';
import { NumbersOfRow, type RowPhones } from './row-phones.tsx';

/** The form that the rows' checkboxes belong to. */
const FORM = 'selection';

type TableProps = {
  list: ParcelList;
  rows: readonly ListRow[];
  phones: RowPhones;
  /** The deals that rows became, by parcel. */
  deals: ReadonlyMap<number, string>;
  selected: ReadonlySet<number>;
  action: string;
};

const ListBar = ({ action }: { action: string }) => (
  <form id={FORM} class="selbar" method="post" action={action}>
    {/* Pressing Enter in a checkbox presses the first button, so the first button does nothing. */}
    <button type="submit" disabled hidden>
      Nothing
    </button>
    <input type="checkbox" id="select-all" aria-label="Select all on this page" hidden />
    <p id="hint">Select rows to change their status</p>
    <p id="selected" role="status" hidden />
    <div class="buttons">
      <Select name="status" aria-label="Status for selected rows" options={STATUS_OPTIONS} given="mailed" />
      <Submit label="Set status" does="status" kind="second small" />
      <Submit label="Mark do not mail" does="do_not_mail" kind="second small" />
      <Submit label="Get phone numbers…" does="phones" kind="second small" />
      <Submit label="Remove rows…" does="remove" kind="danger small" />
    </div>
  </form>
);

export function NoRows({ list, onlyUnpriced }: { list: ParcelList; onlyUnpriced: boolean }) {
  if (list.rows === 0)
    return (
      <Empty icon="list-checks" title="No parcels yet">
        <a href="/data">Select parcels on the map</a>, then choose “Add to list”. Or paste parcel numbers
        below.
      </Empty>
    );
  return (
    <Empty
      icon={onlyUnpriced ? 'circle-check' : 'search-x'}
      title={onlyUnpriced ? 'All rows have a price' : 'No rows with this status'}
    >
      <a href={`/lists/${list.id}`}>Show all {count(list.rows)} parcels in the list</a>
    </Empty>
  );
}

export const ListTable = ({ action, ...rows }: TableProps) => (
  <>
    <ListBar action={action} />
    <Rows action={action} {...rows} />
  </>
);

const Rows = ({ list, rows, phones, deals, selected, action }: TableProps) => (
  <div class="tablebox" role="group" tabindex={0} aria-label="List rows">
    <table class="list-rows">
      <thead>
        <tr>
          <th>
            <span class="unseen">Select</span>
          </th>
          <th>Owner and mailing address</th>
          <th>Parcel</th>
          <th class="n">Acres</th>
          <th class="n">Estimated value</th>
          <th>Offer</th>
          <th>Status</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row
            list={list}
            row={row}
            phones={phones}
            dealId={deals.get(row.property_id)}
            isSelected={selected.has(row.property_id)}
            action={action}
          />
        ))}
      </tbody>
    </table>
  </div>
);

const UNKNOWN = <span class="soft">–</span>;

type RowProps = {
  list: ParcelList;
  row: ListRow;
  phones: RowPhones;
  dealId: string | undefined;
  isSelected: boolean;
  action: string;
};

function Row({ list, row, phones, dealId, isSelected, action }: RowProps) {
  const { property_id: id, owner_name, apn } = row;
  const owner = owner_name === null ? 'Unknown owner' : titleCase(owner_name);
  const label = row.situs_address ? titleCase(row.situs_address) : apn === null ? `Parcel ${id}` : null;
  const hasMoreParcels = isGrouped(list) && row.owner_parcels > 1;
  const { effective_acres: size, owner_acres } = row;
  const total = hasMoreParcels ? owner_acres : size;
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          form={FORM}
          name="property_id"
          value={id}
          checked={isSelected}
          aria-label={`Select ${owner}`}
          autocomplete="off"
        />
        <input type="hidden" form={FORM} name="was" value={`${id}:${row.status}`} />
      </td>
      <th scope="row">
        {owner} {row.do_not_mail && <span class="badge bad">Do not mail</span>}
        <small>{mailLines(row).join(', ') || 'No mailing address'}</small>
        <OtherLists row={row} />
        <NumbersOfRow row={row} phones={phones} />
      </th>
      <td>
        <a href={`/data?parcel=${id}`}>{label ?? `APN ${shortApn(apn!)}`}</a>
        {hasMoreParcels ? (
          <small>
            largest of {count(row.owner_parcels)} parcels
            {size !== null && `: ${acres(size)} acres`}
          </small>
        ) : (
          label !== null && apn !== null && <small>APN {shortApn(apn)}</small>
        )}
      </td>
      <td class="n" data-name="Acres">
        {total === null ? UNKNOWN : acres(total)}
        {hasMoreParcels && <small>all parcels</small>}
      </td>
      <td class="n" data-name="Estimated value">
        {row.value === null ? UNKNOWN : usd(row.value)}
        {hasMoreParcels && <small>largest parcel</small>}
      </td>
      <td data-name="Offer">
        <RowOffer list={list} row={row} owner={owner} action={action} />
      </td>
      <td>
        <RowForm list={list} row={row} owner={owner} dealId={dealId} action={action} />
      </td>
    </tr>
  );
}

/** The company's other lists that have the same owner. */
const OtherLists = ({ row: { other_lists } }: { row: ListRow }) =>
  other_lists.length === 0 ? null : (
    <small>
      Also in{' '}
      {other_lists.map(({ id, name, status, status_at }, i) => (
        <>
          {i > 0 && ', '}
          <a href={`/lists/${id}`}>{name}</a>
          {status_at !== null && ` (${STATUS_WORDS[status]} ${day(status_at)})`}
        </>
      ))}
    </small>
  );

type RowFormProps = Pick<RowProps, 'list' | 'row' | 'dealId' | 'action'> & { owner: string };

function RowForm({ list, row, owner, dealId, action }: RowFormProps) {
  const { property_id: id, status, note, tags } = row;
  return (
    <form method="post" action={action} class="row-form">
      <input type="hidden" name="property_id" value={id} />
      <input type="hidden" name="was" value={`${id}:${status}`} />
      <input type="hidden" name="was_unmailed" value={String(row.do_not_mail)} />
      <div class="buttons">
        <Select
          name="status"
          id={`status-${id}`}
          class={`is-${status}`}
          aria-label={`Status of ${owner}`}
          options={STATUS_OPTIONS}
          given={status satisfies RowStatus}
        />
        <Submit label="Save" does="row" kind="quiet small" />
      </div>
      <small>
        {row.status_at !== null && `since ${day(row.status_at)}`}
        {row.price_asked !== null && ` · asks ${usd(row.price_asked)}`}
        {dealId !== undefined ? (
          <>
            {' · '}
            <a href={`/deals/${dealId}`}>Open deal</a>
          </>
        ) : (
          status === 'under_contract' && (
            <>
              {' · '}
              <a href={replyPath(list.id, id)} data-dialog>
                Add deal
              </a>
            </>
          )
        )}
      </small>
      <details>
        <summary>{note === '' && tags.length === 0 ? 'Note and tags' : [...tags, note].join(' · ')}</summary>
        <label for={`note-${id}`}>Note</label>
        <textarea id={`note-${id}`} name="note" rows={2} maxlength={2_000}>
          {note}
        </textarea>
        <label for={`tags-${id}`}>Tags (comma-separated)</label>
        <input id={`tags-${id}`} name="tags" value={tags.join(', ')} />
        <label class="check">
          <input type="checkbox" name="do_not_mail" value="true" checked={row.do_not_mail} /> Do not mail this
          owner
        </label>
        <Submit label="Save" does="row" kind="second small" />
      </details>
    </form>
  );
}
