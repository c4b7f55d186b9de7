import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { OFFER_BASES } from '../../../shared/lists/offer.ts';
import type { ParcelList } from '../../v1/lists/list-schema.ts';
import { Field, Select, Submit } from '../frame/layout.tsx';
import { BASE_WORDS } from './list-words.ts';

/** Other lists that the form offers, the newest first, besides those that are left out already. */
const MAX_OTHERS = 50;

type SettingsProps = { list: ParcelList; others: readonly ParcelList[]; action: string };

export function ListSettings({ list, others, action }: SettingsProps) {
  const { offer } = list;
  return (
    <form method="post" action={action} class="list-settings">
      <label class="switch">
        <span>One row an owner</span>
        <input type="checkbox" name="one_per_owner" value="true" checked={list.one_per_owner} />
      </label>
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
        aria-label="Of which value"
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
      <Field name="name" label="Name of the list" value={list.name} required maxlength={200} />
      <Field
        name="round_to"
        label="Round offers to $"
        type="number"
        min="1"
        max="100000"
        value={offer?.round_to ?? 100}
      />
      <Field
        name="mailed_within_days"
        label="Do not add owners mailed in the last … days"
        type="number"
        min="1"
        max="3650"
        value={leave_out.mailed_within_days ?? ''}
        hint="From any of your lists. Empty: add them all the same."
      />
      {offered.length > 0 && (
        <fieldset class="others">
          <legend>Do not add parcels of these lists</legend>
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
          Owners marked “Do not mail” are never added, nor exported. What is in the list stays when this
          changes.
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
    <summary>Add parcels by their numbers</summary>
    <form method="post" action={action} class="stack">
      <Field name="numbers" label="Parcel numbers, one a line" hint="Of one county; or ids of Plat, of any.">
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
        <label for="file">Or the first column of a file (CSV or text)</label>
        <input id="file" type="file" accept=".csv,.txt,.tsv,text/*" />
      </div>
      <Field name="county" label="County">
        <Select
          name="county"
          options={[
            ['', 'They are ids of Plat'],
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
      All its rows go, with their statuses, notes and tags, for everybody in your company. This cannot be
      undone.
    </p>
    <form method="post" action={action} class="buttons">
      <Submit label={`Delete “${list.name}”`} does="delete" kind="danger" />
    </form>
  </details>
);
