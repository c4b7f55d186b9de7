import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { OFFER_BASES } from '../../../shared/lists/offer.ts';
import type { ParcelList } from '../../v1/lists/list-schema.ts';
import { Field, Select, Submit } from '../frame/layout.tsx';
import { BASE_WORDS, nameOfRowsPer, ROWS_PER } from './list-words.ts';

/**
 * Maximum number of other lists that the form offers in addition to those already chosen. Newest lists come
 * first.
 */
const MAX_OTHERS = 50;

type SettingsProps = { list: ParcelList; others: readonly ParcelList[]; action: string };

export function ListSettings({ list, others, action }: SettingsProps) {
  const { offer } = list;
  return (
    <form method="post" action={action} class="list-settings">
      <label for="rows_per">One row per</label>
      <Select name="rows_per" options={ROWS_PER} given={nameOfRowsPer(list)} />
      <label for="percent">Offer</label>
      <input
        id="percent"
        name="percent"
        type="number"
        inputmode="decimal"
        min="0.1"
        max="200"
        step="any"
        value={offer?.percent}
        class="short"
        aria-describedby="percent-of"
      />
      <span id="percent-of">%</span>
      <Select
        name="of"
        aria-label="Value that offers are based on"
        options={OFFER_BASES.map(base => [base, BASE_WORDS[base]] as const)}
        given={offer?.of}
      />
      <MoreSettings list={list} others={others} />
      <Submit label="Apply" does="settings" kind="second small" />
    </form>
  );
}

function MoreSettings({ list, others }: Pick<SettingsProps, 'list' | 'others'>) {
  const { offer, leave_out } = list;
  const isLeftOut = ({ id }: ParcelList) => leave_out.lists.includes(id);
  const offered = others.filter((other, i) => i < MAX_OTHERS || isLeftOut(other));
  return (
    <details>
      <summary>More</summary>
      <Field name="name" label="List name" value={list.name} required maxlength={200} />
      <Field
        name="percent_high"
        label="High end of a price range, in %"
        type="number"
        min="0.1"
        max="200"
        step="any"
        value={offer?.percent_high ?? ''}
        hint="Leave empty for a single price."
      />
      <Field
        name="round_to"
        label="Round offers to the nearest $"
        type="number"
        min="1"
        max="100000"
        value={offer?.round_to ?? 100}
      />
      <Field
        name="mailed_within_days"
        label="Skip owners mailed in the last … days"
        type="number"
        min="1"
        max="3650"
        value={leave_out.mailed_within_days ?? ''}
        hint="Counts mailings from any of your lists. Leave empty to include everyone."
      />
      {offered.length > 0 && (
        <fieldset class="others">
          <legend>Skip parcels in these lists</legend>
          {offered.map(other => (
            <label class="check">
              <input type="checkbox" name="leave_out" value={other.id} checked={isLeftOut(other)} />{' '}
              {other.name}
            </label>
          ))}
        </fieldset>
      )}
      <p>
        <small>
          Owners marked “Do not mail” are never added or exported. Parcels already in the list stay when you
          change these settings.
        </small>
      </p>
    </details>
  );
}

type AddProps = {
  action: string;
  counties: readonly LoadedCounty[];
  given?: string;
  county?: string | undefined;
};

export const AddNumbers = ({ action, counties, given, county }: AddProps) => (
  <details class="card" open={given !== undefined}>
    <summary>Add parcels by number</summary>
    <form method="post" action={action} class="stack">
      <Field
        name="numbers"
        label="Parcel numbers, one per line"
        hint="APNs in one county, or Plat parcel IDs in any county."
      >
        <textarea
          id="numbers"
          name="numbers"
          rows={5}
          required
          aria-describedby="numbers-told"
          placeholder={'000007-000044\n000007-000045'}
        >
          {given}
        </textarea>
      </Field>
      <div class="field" id="from-file" hidden>
        <label for="file">Or use the first column of a file (CSV or text)</label>
        <input id="file" type="file" accept=".csv,.txt,.tsv,text/*" />
      </div>
      <Field name="county" label="County">
        <Select
          name="county"
          options={[
            ['', 'None: these are Plat parcel IDs'],
            ...counties.map(({ fips, name, state }) => [fips, `${name}, ${state}`] as const),
          ]}
          given={county ?? counties[0]?.fips}
        />
      </Field>
      <div class="buttons">
        <Submit label="Add parcels" does="add" />
      </div>
    </form>
  </details>
);

export const DeleteList = ({ list, action }: { list: ParcelList; action: string }) => (
  <details class="card">
    <summary>Delete this list</summary>
    <p>
      This deletes the list for everyone in your company, with its statuses, notes, and tags. You can't undo
      this.
    </p>
    <form method="post" action={action} class="buttons">
      <Submit label={`Delete “${list.name}”`} does="delete" kind="danger" />
    </form>
  </details>
);
