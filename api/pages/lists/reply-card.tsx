import { REPLY_STATUSES } from '../../../shared/lists/replies.ts';
import { day, usd } from '../../../shared/model/figures.ts';
import { mailLines, titleCase } from '../../../shared/model/roll-text.ts';
import { referenceOf } from '../../../shared/model/row-reference.ts';
import { Field, Notice } from '../frame/layout.tsx';
import type { ReplyMatch } from './find-replies.ts';
import { STATUS_WORDS } from './list-words.ts';

/** The list of a letter, when it was mailed, and its status. */
export const letterWords = ({ list_name, mailed_at, status }: ReplyMatch): string =>
  [
    list_name,
    mailed_at === null ? 'not mailed' : `mailed ${day(mailed_at)}`,
    STATUS_WORDS[status].toLowerCase(),
  ].join(' · ');

type CardProps = {
  row: ReplyMatch;
  q: string;
  /** After an error: what the user entered. */
  form: URLSearchParams;
  bad: string | undefined;
  /** A dialog closes once the reply is saved. */
  isSaved: boolean;
};

/** A letter, with a form for the owner's reply. */
export function ReplyCard({ row, q, form, bad, isSaved }: CardProps) {
  const { list_id, property_id, owner, status } = row;
  const given = form.has('list_id') ? form : undefined;
  const name = owner?.owner_name ? titleCase(owner.owner_name) : 'Unknown owner';
  return (
    <section class="card reply" data-row={property_id} data-dialog-content={!isSaved || undefined}>
      <h2>{name}</h2>
      {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
      <p>
        <small>{letterWords(row)}</small>
      </p>
      <p>
        <a href={`/data?parcel=${property_id}`}>Ref. {referenceOf(property_id)}</a>
        {owner && ` · ${mailLines(owner).join(', ')}`}
        {' · '}
        <a href={`/lists/${list_id}`}>Open list</a>
      </p>
      <form method="post" action={`/replies?${new URLSearchParams({ q })}`} class="stack">
        <input type="hidden" name="list_id" value={list_id} />
        <input type="hidden" name="property_id" value={property_id} />
        <Said given={given?.get('status') ?? status} />
        <Field
          name="price_asked"
          label="Price asked"
          inputmode="decimal"
          placeholder="$"
          value={given?.get('price_asked') ?? (row.price_asked === null ? '' : usd(row.price_asked))}
        />
        <label for="note">Note</label>
        <textarea id="note" name="note" rows={3} maxlength={2_000}>
          {given?.get('note') ?? row.note}
        </textarea>
        {row.deal_id === null ? (
          <NewDeal given={given} row={row} />
        ) : (
          <p>
            <a href={`/deals/${row.deal_id}`}>Open deal</a>
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary">
            Save reply{row.deal_id === null && <span class="new-deal"> and add deal</span>}
          </button>
        </div>
      </form>
    </section>
  );
}

const WORDS = { ...STATUS_WORDS, answered: 'Interested, or a question' } as const;

const Said = ({ given }: { given: string }) => (
  <fieldset class="choices said">
    <legend>The owner's reply</legend>
    {REPLY_STATUSES.map(status => (
      <label>
        <input type="radio" name="status" value={status} required checked={status === given} />{' '}
        {WORDS[status]}
      </label>
    ))}
  </fieldset>
);

/** What a contract adds to the deal board. */
const NewDeal = ({ given, row }: { given: URLSearchParams | undefined; row: ReplyMatch }) => (
  <fieldset class="new-deal">
    <legend>If it's under contract, Plat adds the deal</legend>
    <div class="fields">
      {(
        [
          ['purchase_price', 'Purchase price', row.price_asked === null ? '' : usd(row.price_asked)],
          ['closing_costs', 'Closing costs', ''],
          ['misc_costs', 'Other costs', ''],
        ] as const
      ).map(([name, label, usual]) => (
        <Field
          name={name}
          label={label}
          inputmode="decimal"
          placeholder="$"
          value={given?.get(name) ?? usual}
        />
      ))}
      <Field name="closing_date" label="Closing date" type="date" value={given?.get('closing_date') ?? ''} />
    </div>
  </fieldset>
);
