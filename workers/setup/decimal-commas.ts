import { PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import type { Candidate } from '../feeds/suggest/column-profile.ts';
import type { Sample, Suggestions } from '../feeds/suggest/suggest-columns.ts';
import { decimalPoint, newNotation, noteNotation } from '../feeds/values/number-notation.ts';

type Suggest = (sample: Sample) => Suggestions;

/** If a file has decimal commas, suggests by what they mean, and adds `decimal: ","` to such columns. */
export const withDecimalCommas =
  (suggest: Suggest): Suggest =>
  sample => {
    const commas = commaColumns(sample.columns);
    if (commas.size === 0) return suggest(sample);
    const columns = sample.columns.map(column =>
      commas.has(column.name) ? { ...column, values: column.values.map(decimalPoint) } : column,
    );
    const { key, fields } = suggest({ ...sample, columns });
    const declare = (candidate: Candidate): Candidate => {
      const isNumber = NUMERIC.has(PARCEL_FIELDS[candidate.field as keyof typeof PARCEL_FIELDS]?.type);
      if (!isNumber || !candidate.columns.every(name => commas.has(name))) return candidate;
      return { ...candidate, spec: { ...candidate.spec, decimal: ',' } };
    };
    return {
      key,
      fields: fields.map(({ field, mapped, others }) => ({
        field,
        mapped: mapped && declare(mapped),
        others: others.map(declare),
      })),
    };
  };

const NUMERIC = new Set<string>(['number', 'money', 'integer']);

/** The columns whose numbers can only be, or may be, written so, in a file of which one can only be. */
function commaColumns(columns: Sample['columns']): Set<string> {
  const noted = columns.map(({ name, values }) => {
    const notation = newNotation();
    for (const value of values) noteNotation(notation, value);
    return { name, ...notation };
  });
  const possible = noted.filter(({ comma, either, point }) => comma + either > 0 && point === 0);
  return new Set(possible.some(({ comma }) => comma > 0) ? possible.map(({ name }) => name) : []);
}
