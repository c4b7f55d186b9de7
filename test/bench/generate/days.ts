/** Converts calendar days to whole numbers of days since 1970-01-01, and back to 'YYYY-MM-DD'. */
const DAY_MS = 86_400_000;

export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

const texts = new Map<number, string>();

/** Cached, because a roll of a million parcels contains only about 15,000 different days. */
export function dayText(number: number): string {
  let text = texts.get(number);
  if (text === undefined) {
    text = new Date(number * DAY_MS).toISOString().slice(0, 10);
    texts.set(number, text);
  }
  return text;
}
