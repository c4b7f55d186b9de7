import { CALL_OUTCOMES, type CallOutcome } from '../../../shared/lists/list-calls.ts';
import { acres, day } from '../../../shared/model/figures.ts';
import { mailLines, titleCase } from '../../../shared/model/roll-text.ts';
import { Icon } from '../frame/icons.tsx';
import { Hours, PhoneLink, PhoneState } from '../parts/phone-list.tsx';
import type { QueuedOwner } from './call-queue.ts';
import { STATUS_WORDS } from './list-words.ts';

export const OUTCOME_WORDS: Readonly<Record<CallOutcome, string>> = {
  no_answer: 'No answer',
  left_message: 'Left a message',
  answered: 'Talked',
  not_interested: 'Not interested',
  wrong_number: 'Wrong number',
  do_not_call: 'Asked not to call',
};

/** Outcomes that are hard to take back are red. */
const KINDS: Readonly<Partial<Record<CallOutcome, string>>> = { answered: 'primary', do_not_call: 'danger' };

type CardProps = {
  queued: QueuedOwner;
  path: string;
  now: Date;
  reference: string;
  offer: string;
  wrongNumbers: ReadonlySet<string>;
  /** Whether there is another owner to skip to. */
  more: boolean;
};

/** One owner: whether to call, the numbers to tap, and how the call ended. */
export function CallCard({ queued, path, now, reference, offer, wrongNumbers, more }: CardProps) {
  const { row, owner } = queued;
  const { property_id: id, note, status } = row;
  return (
    <section class="card" aria-labelledby="call-owner" data-row={id}>
      <OwnerFacts queued={queued} reference={reference} offer={offer} />
      <Hours place={owner} now={now} />
      <form method="post" action={path}>
        <input type="hidden" name="property_id" value={id} />
        <input type="hidden" name="was" value={status} />
        <input type="hidden" name="note_was" value={note} />
        <Numbers queued={queued} now={now} wrongNumbers={wrongNumbers} />
        <label for="note">Note</label>
        <textarea id="note" name="note" rows={2} maxlength={2_000}>
          {note}
        </textarea>
        <div class="outcomes">
          {CALL_OUTCOMES.map(outcome => (
            <button type="submit" name="outcome" value={outcome} class={KINDS[outcome] ?? 'second'}>
              {OUTCOME_WORDS[outcome]}
            </button>
          ))}
        </div>
      </form>
      {more && (
        <p class="next">
          <a class="button quiet" href={`${path}?after=${id}`}>
            Next owner <Icon name="chevron-right" />
          </a>
        </p>
      )}
    </section>
  );
}

function OwnerFacts({ queued, reference, offer }: Pick<CardProps, 'queued' | 'reference' | 'offer'>) {
  const { row, owner, last } = queued;
  const size = row.owner_acres === null ? [] : [`${acres(row.owner_acres)} acres`];
  const parcels = row.owner_parcels > 1 ? [`${row.owner_parcels} parcels`] : [];
  return (
    <>
      <h2 id="call-owner">{owner.owner_name === null ? 'Unknown owner' : titleCase(owner.owner_name)}</h2>
      <p>
        <small>{mailLines(owner).join(', ')}</small>
      </p>
      <p>
        <a href={`/data?parcel=${row.property_id}`}>Ref. {reference}</a>
        {[...parcels, ...size, offer].map(text => ` · ${text}`)}
      </p>
      <p>
        <small>
          {STATUS_WORDS[row.status]}
          {row.status_at !== null && ` since ${day(row.status_at)}`}
          {last && ` · Called ${day(last.called_at)}: ${OUTCOME_WORDS[last.outcome]}`}
        </small>
      </p>
    </>
  );
}

function Numbers({ queued, now, wrongNumbers }: Pick<CardProps, 'queued' | 'now' | 'wrongNumbers'>) {
  const { phones } = queued.found.trace;
  const first = phones.findIndex(({ number, dnc }) => !wrongNumbers.has(number) && dnc !== true);
  return (
    <ul class="phones" aria-label="Phone numbers">
      {phones.map((phone, i) => (
        <li>
          <span>
            <input
              type="radio"
              name="number"
              value={phone.number}
              checked={i === Math.max(0, first)}
              aria-label="The number I called"
            />{' '}
            {wrongNumbers.has(phone.number) && <span class="badge bad">Wrong number</span>}{' '}
            <PhoneState phone={phone} at={queued.found.at} now={now} />
          </span>
          <PhoneLink number={phone.number} />
        </li>
      ))}
    </ul>
  );
}
