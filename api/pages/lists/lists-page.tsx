import { count, day } from '../../../shared/model/figures.ts';
import type { ParcelList } from '../../v1/lists/list-schema.ts';
import { createList, listLists } from '../../v1/lists/lists.ts';
import type { FormResult } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Empty, Field, Grid, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit } from '../frame/visit.ts';
import { BASE_WORDS, nameOfRowsPer } from './list-words.ts';

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

/** A new list has the usual settings for a mailing: one row per owner, and offers based on the estimate. */
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
                Parcels for a mailing, with an offer for each owner. Your whole company sees your lists.
              </small>
            </p>
          </div>
          <a class="button second" href="/replies">
            <Icon name="mail" /> Log a reply
          </a>
          <form method="post" action="/lists" class="inline">
            <Field
              name="name"
              label="New list"
              required
              maxlength={200}
              placeholder="e.g., Sullivan, 5 to 20 acres"
            />
            <button type="submit">Create list</button>
          </form>
        </header>
        {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
        {lists.length === 0 ? (
          <Empty icon="list-checks" title="No lists yet">
            <a href="/data">Select parcels on the map</a>, then choose “Add to list”. Or create an empty list
            above.
          </Empty>
        ) : (
          <Grid
            name="Lists"
            cards
            heads={['Name', 'Parcels', 'Rows', 'Offer', 'Updated']}
            rows={lists.map(list => [
              <a href={`/lists/${list.id}`}>{list.name}</a>,
              count(list.rows),
              `One per ${nameOfRowsPer(list)}`,
              list.offer === null ? '–' : `${list.offer.percent}% ${BASE_WORDS[list.offer.of]}`,
              day(list.updated_at),
            ])}
          />
        )}
      </>
    ),
  };
}

export const listsPages = [listsPage];
