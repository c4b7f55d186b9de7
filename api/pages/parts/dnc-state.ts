import type { PhoneTrace } from '../../v1/common/skip-tracing.ts';

/** Callers must use a copy of the registry from the last 31 days (16 CFR 310.4(b)(3)(iv)). */
const MAX_AGE_DAYS = 31;
const DAY_MS = 86_400_000;

type DncState = {
  words: string;
  kind: 'bad' | 'warn' | 'good';
  /** When the status was true: the registry's date, or else the lookup's. Null if the status is unknown. */
  checked: string | Date | null;
};

/** A number's Do Not Call status. A status that is too old to rely on must be checked again. */
export function dncStateOf(
  { dnc, dnc_as_of }: Pick<PhoneTrace['phones'][number], 'dnc' | 'dnc_as_of'>,
  lookedUpAt: Date,
  now: Date,
): DncState {
  if (dnc === null) return { words: 'Do Not Call status unknown', kind: 'warn', checked: null };
  const checked = dnc_as_of ?? lookedUpAt;
  if (dnc) return { words: 'On Do Not Call list', kind: 'bad', checked };
  const ageDays = (now.getTime() - new Date(checked).getTime()) / DAY_MS;
  return ageDays > MAX_AGE_DAYS
    ? { words: 'Do Not Call: check again', kind: 'warn', checked }
    : { words: 'Not on Do Not Call list', kind: 'good', checked };
}
