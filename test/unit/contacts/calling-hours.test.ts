import { expect, test } from 'vitest';
import { callingHours, zonesOf } from '../../../shared/contacts/calling-hours.ts';
import { STATES } from '../../../shared/regions/states.ts';

const at = (time: string) => new Date(time);
const place = (mail_state: string | null, mail_zip: string | null = null) => ({ mail_state, mail_zip });

test('every state and island area has a time zone; other addresses have none', () => {
  for (const { code } of STATES) expect([code, zonesOf(place(code)).length > 0]).toEqual([code, true]);
  for (const state of [null, '', 'AE', 'ON', 'XX']) expect(zonesOf(place(state))).toEqual([]);
  expect(callingHours(place(null, '03431'), at('2026-07-01T15:00Z'))).toBeNull();
});

test('calls are allowed from 8 AM up to 9 PM local time, also when the clocks change', () => {
  const isOpen = (time: string) => callingHours(place('NH'), at(time))!.isOpen;
  // Eastern Standard Time, then Eastern Daylight Time.
  expect(
    ['2026-01-15T12:59Z', '2026-01-15T13:00Z', '2026-01-16T01:59Z', '2026-01-16T02:00Z'].map(isOpen),
  ).toEqual([false, true, true, false]);
  expect(
    ['2026-07-15T11:59Z', '2026-07-15T12:00Z', '2026-07-16T00:59Z', '2026-07-16T01:00Z'].map(isOpen),
  ).toEqual([false, true, true, false]);
  expect(callingHours(place(' nh ', '03431'), at('2026-01-15T17:05Z'))).toEqual({
    zone: 'Eastern',
    second: null,
    now: '12:05 PM',
    from: '8 AM',
    to: '9 PM',
    isOpen: true,
  });
});

test('in a state with two zones, only the hours that are allowed in both count', () => {
  const hours = (state: string, zip: string | null, time = '2026-07-15T18:00Z') => {
    const { zone, second, from, to } = callingHours(place(state, zip), at(time))!;
    return [zone, second, from, to];
  };
  expect(hours('TX', '79901')).toEqual(['Central', 'Mountain', '9 AM', '9 PM']);
  expect(hours('TX', '75201')).toEqual(['Central', null, '8 AM', '9 PM']);
  // Without a ZIP, it could be either.
  expect(hours('TX', null)).toEqual(['Central', 'Mountain', '9 AM', '9 PM']);
  expect(hours('TN', '37902')).toEqual(['Central', 'Eastern', '8 AM', '8 PM']);
  expect(hours('FL', '32501')).toEqual(['Eastern', 'Central', '9 AM', '9 PM']);
  // The Navajo Nation has daylight saving time, the rest of Arizona has none.
  expect(hours('AZ', '86515')).toEqual(['Arizona', 'Mountain', '8 AM', '8 PM']);
  expect(hours('AZ', '86515', '2026-01-15T18:00Z')).toEqual(['Arizona', 'Mountain', '8 AM', '9 PM']);
  // The date line lies between the clocks of Guam and Hawaii, but midnight does not matter.
  expect(callingHours(place('GU'), at('2026-07-14T22:00Z'))).toMatchObject({ now: '8 AM', isOpen: true });
});
