import { PlatError } from '../../../shared/platform/errors.ts';
import { addListRows, type CountedRows } from '../../v1/lists/add-list-rows.ts';
import type { ParcelList } from '../../v1/lists/list-schema.ts';
import { listLists } from '../../v1/lists/lists.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import type { FormResult } from '../frame/forms.ts';
import { Field, Notice, narrowPage, Select } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit } from '../frame/visit.ts';
import { showList } from './list-page.tsx';
import { addedWords, plural } from './list-words.ts';
import { makeList } from './lists-page.tsx';

const PATH = '/lists/add';

/** What the form selects: parcels, or with `all` every result of the search in `filter` (JSON). */
type Chosen = { property_ids: number[] } | { filter: object };

function chosenOf({ form }: Visit): Chosen {
  if (form.get('all') === null) return { property_ids: form.getAll('property_id').map(Number) };
  try {
    const filter: unknown = JSON.parse(form.get('filter') ?? '');
    if (typeof filter === 'object' && filter !== null) return { filter };
  } catch {
    // Reported below.
  }
  throw new PlatError('validation_error', "We couldn't read that search. Go back to the map and try again.");
}

/** Asks which list to use, adds the parcels, and shows the list. */
const addPage: Page = {
  path: PATH,
  access: 'app',
  get: () => ({ redirect: '/lists' }),
  show: choose,
  actions: { default: add },
};

async function add(visit: Visit): Promise<Reply> {
  const chosen = chosenOf(visit);
  const { form } = visit;
  const list = form.get('list');
  const name = (form.get('name') ?? '').trim();
  if ('property_ids' in chosen && chosen.property_ids.length === 0)
    throw new PlatError('validation_error', 'No parcels are selected. Go back to the map and select some.');
  if (form.get('chosen') === null) return choose(visit, {});
  if (name === '' && list === '')
    throw new PlatError('validation_error', 'Choose a list, or enter a name for a new one.');
  // If a name was entered, it creates a new list.
  const id = name !== '' || list === null ? (await makeList(visit, name)).id : list;
  const added = await callEndpoint<CountedRows>(visit, addListRows, { params: { id }, body: chosen });
  const ids = 'property_ids' in chosen ? chosen.property_ids : [];
  return showList(visit, id, {
    words: addedWords(added),
    bad: added.not_found.length > 0,
    ...(added.added > 0 &&
      added.added === ids.length && {
        next: {
          does: 'remove_now',
          label: 'Undo',
          fields: ids.map(one => ['property_id', String(one)] as const),
        },
      }),
  });
}

async function countFound(visit: Visit, body: object): Promise<number> {
  const query = { page_size: '1' };
  return (await callEndpoint<{ count: number }>(visit, filterParcels, { body, query })).count;
}

async function choose(visit: Visit, { bad: fault }: FormResult): Promise<Reply> {
  const { form } = visit;
  const lists = await callEndpoint<ParcelList[]>(visit, listLists);
  const all = form.get('all') !== null;
  const ids = form.getAll('property_id');
  // After an error, don't read the search again, because it may be the cause.
  const chosen = fault === undefined ? chosenOf(visit) : undefined;
  const selection =
    chosen !== undefined && 'filter' in chosen
      ? `all ${plural(await countFound(visit, chosen.filter), 'parcel')}`
      : all
        ? 'all results'
        : plural(ids.length, 'parcel');
  const title = `Add ${selection} to a list`;
  const hidden = all
    ? ([
        ['all', 'true'],
        ['filter', form.get('filter') ?? ''],
      ] as const)
    : ids.map(id => ['property_id', id] as const);
  return narrowPage(
    title,
    <>
      {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
      <form method="post" action={PATH} class="stack">
        {hidden.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="chosen" value="true" />
        {lists.length > 0 && (
          <Field name="list" label="List">
            <Select
              name="list"
              options={[
                // Without this option, Enter in the field below would add the parcels to the first list.
                ...(lists.length > 1 ? [['', 'Choose a list'] as const] : []),
                ...lists.map(({ id, name, rows }) => [id, `${name} (${plural(rows, 'parcel')})`] as const),
              ]}
              given={form.get('list') ?? undefined}
            />
          </Field>
        )}
        <Field
          name="name"
          label={lists.length > 0 ? 'Or create a new list' : 'List name'}
          required={lists.length === 0}
          maxlength={200}
          value={form.get('name') ?? ''}
          placeholder="e.g., Sullivan, 5 to 20 acres"
        />
        <div class="buttons">
          <button type="submit">Add to list</button>
          <a class="button second" href="/data" data-close>
            Cancel
          </a>
        </div>
      </form>
    </>,
  );
}

export const addToListPages = [addPage];
