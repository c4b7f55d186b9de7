import {
  MAX_COLUMN_CHARS,
  MAX_VALUE_CHARS,
  type Meanings,
  type ValueMeanings,
} from '../../../shared/feeds/file-feeds.ts';
import { count } from '../../../shared/model/figures.ts';
import { Select } from '../frame/layout.tsx';

/**
 * Prefixes before a field's name: for the column with the listed values, for one value's meaning, and for the
 * meaning of all others.
 */
const OF = 'values-of.';
const VALUE = 'value.';
const OTHERWISE = 'otherwise.';

export function meaningsIn(form: URLSearchParams): Record<string, Meanings> {
  const found: Record<string, Meanings> = {};
  for (const [name, column] of form) {
    if (!name.startsWith(OF)) continue;
    const field = name.slice(OF.length);
    const prefix = `${VALUE}${field}.`;
    const values = [...form].flatMap(([each, means]): [string, string][] =>
      each.startsWith(prefix)
        ? [[each.slice(prefix.length).slice(0, MAX_VALUE_CHARS), means.trim().slice(0, MAX_COLUMN_CHARS)]]
        : [],
    );
    const otherwise = flagText(form.get(OTHERWISE + field));
    found[field] = {
      column: column.slice(0, MAX_COLUMN_CHARS),
      values: Object.fromEntries(values),
      otherwise,
    };
  }
  return found;
}

const flagText = (text: string | null): Meanings['otherwise'] =>
  text === 'true' || text === 'false' ? text : '';

/** The same values, with the meanings entered in a rejected form. */
export function withSent(known: ValueMeanings | null | undefined, sent: Meanings | undefined) {
  if (!known || sent?.column !== known.column) return known;
  const values = known.values.map(value => ({ ...value, means: sent.values[value.text] ?? value.means }));
  return { ...known, values, otherwise: sent.otherwise };
}

const FLAGS = [
  ['', 'Unknown'],
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

type ListProps = { field: string; label: string; of: ValueMeanings };

export function ValueList({ field, label, of: { kind, column, values, others, otherwise } }: ListProps) {
  const rest = others > 0 ? `${count(others)} other values and empty cells` : 'Anything else';
  return (
    <details class="meanings" open={kind === 'flag'}>
      <summary>
        {values.length === 1 ? 'Meaning of 1 value' : `Meanings of ${count(values.length)} values`}
      </summary>
      <input type="hidden" name={OF + field} value={column} />
      <ul>
        {values.map(({ text, count: rows, means }) => (
          <li>
            <span>
              {text} <small>{count(rows)}</small>
            </span>
            {kind === 'flag' ? (
              <FlagSelect name={`${VALUE}${field}.${text}`} label={`${label}: ${text}`} given={means} />
            ) : (
              <input
                name={`${VALUE}${field}.${text}`}
                aria-label={`${label}: ${text}`}
                value={means}
                placeholder={text}
                maxlength={MAX_COLUMN_CHARS}
              />
            )}
          </li>
        ))}
        {kind === 'flag' && (
          <li>
            <span>{rest}</span>
            <FlagSelect name={OTHERWISE + field} label={`${label}: ${rest}`} given={otherwise} />
          </li>
        )}
      </ul>
    </details>
  );
}

const FlagSelect = ({ name, label, given }: { name: string; label: string; given: string }) => (
  <Select id={undefined} name={name} aria-label={label} options={FLAGS} given={given} />
);
