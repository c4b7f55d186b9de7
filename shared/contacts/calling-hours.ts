/**
 * Time zones of owners, by their mailing address, and the hours in which telemarketers may call them: 8 AM to
 * 9 PM at the called person's location (47 CFR 64.1200(c)(1)).
 */

const FROM_HOUR = 8;
const TO_HOUR = 21;

const ZONES = {
  Atlantic: 'America/Puerto_Rico',
  Eastern: 'America/New_York',
  Central: 'America/Chicago',
  Mountain: 'America/Denver',
  Arizona: 'America/Phoenix',
  Pacific: 'America/Los_Angeles',
  Alaska: 'America/Anchorage',
  Aleutian: 'America/Adak',
  Hawaii: 'Pacific/Honolulu',
  Samoa: 'Pacific/Pago_Pago',
  Chamorro: 'Pacific/Guam',
} as const;
type Zone = keyof typeof ZONES;

const STATE_ZONES: Readonly<Record<Zone, string>> = {
  Atlantic: 'PR VI',
  Eastern: 'CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV',
  Central: 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI',
  Mountain: 'CO ID MT NM UT WY',
  Arizona: 'AZ',
  Pacific: 'CA NV OR WA',
  Alaska: 'AK',
  Aleutian: '',
  Hawaii: 'HI',
  Samoa: 'AS',
  Chamorro: 'GU MP',
};

/**
 * States with a second time zone, and the ZIP prefixes in which it occurs. Without prefixes, it can occur
 * anywhere in the state. Only hours that are allowed in both zones count.
 */
const SECOND_ZONES: Readonly<Record<string, { zone: Zone; prefixes: readonly string[] }>> = {
  AK: { zone: 'Aleutian', prefixes: ['99546', '99547', '99591', '99638'] },
  AL: { zone: 'Eastern', prefixes: ['368'] },
  AZ: { zone: 'Mountain', prefixes: ['860', '865'] },
  FL: { zone: 'Central', prefixes: ['324', '325'] },
  ID: { zone: 'Pacific', prefixes: ['835', '838'] },
  IN: { zone: 'Central', prefixes: ['463', '464', '465', '475', '46968', '475', '476', '477', '479'] },
  KS: { zone: 'Mountain', prefixes: ['677', '678'] },
  KY: { zone: 'Central', prefixes: [''] },
  MI: { zone: 'Central', prefixes: ['498', '499'] },
  ND: { zone: 'Mountain', prefixes: [''] },
  NE: { zone: 'Mountain', prefixes: [''] },
  NV: { zone: 'Mountain', prefixes: ['89883'] },
  OR: { zone: 'Mountain', prefixes: ['979'] },
  SD: { zone: 'Mountain', prefixes: [''] },
  TN: { zone: 'Eastern', prefixes: [''] },
  TX: { zone: 'Mountain', prefixes: ['798', '799', '885'] },
};

const ZONE_OF_STATE: ReadonlyMap<string, Zone> = new Map(
  Object.entries(STATE_ZONES).flatMap(([zone, states]) =>
    states.split(' ').map(state => [state, zone as Zone] as const),
  ),
);

export type MailPlace = { mail_state: string | null; mail_zip: string | null };

/** The time zones that a mailing address may be in, the state's main one first. Empty if unknown. */
export function zonesOf({ mail_state, mail_zip }: MailPlace): Zone[] {
  const state = mail_state?.trim().toUpperCase() ?? '';
  const main = ZONE_OF_STATE.get(state);
  if (main === undefined || state === '') return [];
  const second = SECOND_ZONES[state];
  const isSplit = second?.prefixes.some(prefix => !mail_zip || mail_zip.startsWith(prefix));
  return isSplit ? [main, second!.zone] : [main];
}

export type CallingHours = {
  /** The main zone, in which the times are. */
  zone: Zone;
  /** The other zone that the address may be in. */
  second: Zone | null;
  /** Times such as 9:05 AM. */
  now: string;
  from: string;
  to: string;
  isOpen: boolean;
};

/** The owner's local time, and the hours that are allowed in all zones that apply. Null if unknown. */
export function callingHours(place: MailPlace, at: Date): CallingHours | null {
  const [zone, second = null] = zonesOf(place);
  if (zone === undefined) return null;
  const clock = minutesIn(zone, at);
  const ahead = second === null ? 0 : ahead12h(clock - minutesIn(second, at));
  const from = FROM_HOUR * 60 + Math.max(0, ahead);
  const to = TO_HOUR * 60 + Math.min(0, ahead);
  const isOpen = from <= clock && clock < to;
  return { zone, second, now: timeText(clock), from: timeText(from), to: timeText(to), isOpen };
}

/** A difference between two clocks, as if they were at most 12 hours apart. */
const ahead12h = (minutes: number): number => ((minutes + 2_160) % 1_440) - 720;

function minutesIn(zone: Zone, at: Date): number {
  const text = at.toLocaleTimeString('en-GB', { timeZone: ZONES[zone], hour: '2-digit', minute: '2-digit' });
  const [hours, minutes] = text.split(':').map(Number);
  return hours! * 60 + minutes!;
}

function timeText(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  const text = `${hour % 12 || 12}${minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`}`;
  return `${text} ${hour < 12 ? 'AM' : 'PM'}`;
}
