import type { ColumnChoices } from '../../shared/feeds/file-feeds.ts';
import { PARCEL_TARGETS, type ParcelTarget } from '../feeds/parcel-targets.ts';
import { fitOf } from '../feeds/suggest/column-fit.ts';
import { type Candidate, profileOf } from '../feeds/suggest/column-profile.ts';
import type { Sample, Suggestion, Suggestions } from '../feeds/suggest/suggest-columns.ts';
import { withMeanings } from './recode-values.ts';

const BY_HAND = 'chosen by hand';

/** Suggestions with a person's choices applied. Other fields stay unchanged. */
export function correctSuggestions(
  found: Suggestions,
  sample: Sample,
  { key, columns: chosen, meanings }: ColumnChoices,
): Suggestions {
  const fields = PARCEL_TARGETS.flatMap((field): Suggestion[] => {
    const was = found.fields.find(each => each.field === field);
    const columns = chosen[field];
    if (columns === undefined) return was ? [was] : [];
    if (columns.length === 0) return [{ field, mapped: null, others: [] }];
    const candidates = was ? [was.mapped, ...was.others].filter(each => each !== null) : [];
    const mapped = candidates.find(each => same(each.columns, columns)) ?? byHand(field, columns, sample);
    const spec = withMeanings(field, mapped.spec, meanings?.[field], sample);
    return [{ field, mapped: { ...mapped, spec }, others: candidates.filter(each => each !== mapped) }];
  });
  return { key: key === null ? null : keyOf(found, sample, key), fields };
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, i) => name === b[i]);

/** A column that was not suggested, read by the date format or unit of its values. */
function byHand(field: ParcelTarget, columns: string[], { columns: all, acres }: Sample): Candidate {
  const [only, ...more] = columns;
  const source = more.length === 0 ? all.find(({ name }) => name === only) : undefined;
  const { unit, ...spec } =
    (source && fitOf(field, profileOf(source.name, undefined, source.values), acres)?.spec) ?? {};
  return {
    field,
    columns,
    spec:
      more.length === 0 ? { column: only!, ...spec, ...(unit && unit !== 'acres' && { unit }) } : { columns },
    confidence: 1,
    why: BY_HAND,
  };
}

function keyOf(found: Suggestions, { columns }: Sample, name: string): Candidate {
  if (found.key && same(found.key.columns, [name])) return found.key;
  const values = columns.find(each => each.name === name)?.values ?? [];
  const { filled, distinct } = profileOf(name, undefined, values);
  const why = `${BY_HAND}, ${distinct} different in ${filled.length} rows`;
  return { field: 'apn', columns: [name], spec: { column: name }, confidence: 1, why };
}
