import { count, day } from '../../../shared/model/figures.ts';
import type { ParcelList } from '../../v1/lists/list-schema.ts';
import { createList, listLists } from '../../v1/lists/lists.ts';
import type { FormResult } from '../frame/forms.ts';
import { Empty, Field, Grid, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit } from '../frame/visit.ts';
import { BASE_WORDS } from './list-words.ts';

const listsPage: Page = {
  path: '/lists',
  access: 'app',
  show,
  actions: {
    async default(visit) {
      const { id } = await makeList(visit, (visit.form.get('name') ?? '').trim());
      return { redirect: `/lists/${id}` };
    },
  },
};

/** One row an owner, and offers by the estimate: what a mailing begins with. */
export const makeList = (visit: Visit, name: string): Promise<ParcelList> =>
  callEndpoint<ParcelList>(visit, createList, {
    body: { name, one_per_owner: true, offer: { percent: 30 } },
  });

async function show(visit: Visit, { bad }: FormResult): Promise<Reply> {
  const lists = await callEndpoint<ParcelList[]>(visit, listLists);
  return {
    title: 'Lists',
    assetNames: ['cards.css', 'results.css', 'lists.css'],
    body: (
      <>
        <header class="pagehead">
          <div>
            <h1>Lists</h1>
            <p>
              <small>
                Parcels to mail to, kept together by your company: one row an owner, with an offer.
              </small>
            </p>
          </div>
          <form method="post" action="/lists" class="inline">
            <Field
              name="name"
              label="New list"
              required
              maxlength={200}
              placeholder="e.g. Sullivan, 5 – 20 acres"
            />
            <button type="submit">Make list</button>
          </form>
        </header>
        {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
        {lists.length === 0 ? (
          <Empty icon="list-checks" title="No lists yet">
            Make one above, or <a href="/data">search on the map</a> and press “Add to list”.
          </Empty>
        ) : (
          <Grid
            name="Lists"
            cards
            heads={['Name', 'Parcels', 'Rows', 'Offer', 'Changed']}
            rows={lists.map(list => [
              <a href={`/lists/${list.id}`}>{list.name}</a>,
              count(list.rows),
              list.one_per_owner ? 'One an owner' : 'Every parcel',
              list.offer === null ? '–' : `${list.offer.percent} % ${BASE_WORDS[list.offer.of]}`,
              day(list.updated_at),
            ])}
          />
        )}
      </>
    ),
  };
}

export const listsPages = [listsPage];
