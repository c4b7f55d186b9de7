import { callingHours, type MailPlace } from '../../../shared/contacts/calling-hours.ts';
import { day } from '../../../shared/model/figures.ts';
import type { FoundPhones } from '../../v1/common/found-phones.ts';
import type { PhoneTrace } from '../../v1/common/skip-tracing.ts';
import { Icon } from '../frame/icons.tsx';
import { dncStateOf } from './dnc-state.ts';

type Phone = PhoneTrace['phones'][number];

export const writtenNumber = (number: string): string =>
  number.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3');

type PhoneListProps = { found: FoundPhones; place: MailPlace; now: Date };

/** Numbers that were looked up. What to check before a call comes first. */
export function PhoneList({ found, place, now }: PhoneListProps) {
  const { trace, at } = found;
  if (!trace.matched) return <NoPhones found={found} />;
  return (
    <>
      <Hours place={place} now={now} />
      <ul class="phones">
        {trace.phones.map(phone => (
          <li>
            <PhoneState phone={phone} at={at} now={now} />
            <PhoneLink number={phone.number} />
          </li>
        ))}
      </ul>
      <p class="hint">Looked up on {day(at)}. Free to view again for 30 days.</p>
    </>
  );
}

export const NoPhones = ({ found: { trace, at } }: { found: FoundPhones }) =>
  trace.withheld_reason === null ? (
    <p class="hint">No phone number found on {day(at)}. This was free. You can try again the next day.</p>
  ) : (
    <p>
      <span class="badge bad">Don't call: {trace.withheld_reason}</span>{' '}
      <small>Numbers are withheld. This was free.</small>
    </p>
  );

/** The owner's local time, and whether calls are allowed now. */
export function Hours({ place, now }: { place: MailPlace; now: Date }) {
  const hours = callingHours(place, now);
  if (hours === null)
    return (
      <p class="hours">
        <span class="badge warn">Local time unknown</span> Calls are allowed from 8 AM to 9 PM where the owner
        is.
      </p>
    );
  const { zone, second, isOpen, from, to } = hours;
  return (
    <p class="hours">
      <span class={isOpen ? 'badge good' : 'badge bad'}>{isOpen ? 'OK to call now' : "Don't call now"}</span>{' '}
      {hours.now} {zone} time
      {second !== null && `, or ${second} time`}. Calls are allowed from {from} to {to}.
    </p>
  );
}

/** Do Not Call status and line type. */
export function PhoneState({ phone, at, now }: { phone: Phone; at: Date; now: Date }) {
  const { words, kind, checked } = dncStateOf(phone, at, now);
  return (
    <span class="phone-state">
      <span class={`badge ${kind}`}>{words}</span>
      <small>
        {checked !== null && `as of ${day(checked)} · `}
        {phone.line_type ?? 'Unknown line type'}
      </small>
    </span>
  );
}

/** A number to tap, with a copy button. */
export const PhoneLink = ({ number }: { number: string }) => (
  <span class="phone-link">
    <a href={`tel:+1${number}`}>{writtenNumber(number)}</a>
    <button
      type="button"
      class="quiet small only"
      data-copy={writtenNumber(number)}
      aria-label={`Copy ${writtenNumber(number)}`}
    >
      <Icon name="copy" />
    </button>
  </span>
);
