type Range = { name: string; min: number; max: number; words?: string[] };

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const SECOND: Range = { name: 'second', min: 0, max: 59 };
const FIELDS: Range[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  { name: 'day of week', min: 0, max: 7, words: DAYS },
];

/**
 * What is wrong with a cron expression of five fields (six with seconds in front), or null. The common subset
 * alone: numbers, names, lists, ranges, steps.
 */
export function cronProblem(expression: string): string | null {
  const parts = expression.trim().split(/\s+/);
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  if (parts.length !== fields.length)
    return 'needs five fields: minute, hour, day of month, month, day of week';
  for (const [i, field] of fields.entries()) {
    const part = parts[i]!;
    if (!part.split(',').every(item => validItem(item, field))) return `has a wrong ${field.name}: '${part}'`;
  }
  return null;
}

function validItem(item: string, field: Range): boolean {
  const match = /^(\*|\?|[0-9A-Za-z]+)(?:-([0-9A-Za-z]+))?(?:\/(\d+))?$/.exec(item);
  if (!match) return false;
  const [, from, to, step] = match;
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return false;
  if (from === '*' || from === '?') return to === undefined;
  const first = numberOf(from!, field);
  const last = to === undefined ? first : numberOf(to, field);
  return first !== null && last !== null && first <= last;
}

function numberOf(text: string, field: Range): number | null {
  const word = field.words?.indexOf(text.toUpperCase()) ?? -1;
  const value = word >= 0 ? word + field.min : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.min && value <= field.max ? value : null;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
