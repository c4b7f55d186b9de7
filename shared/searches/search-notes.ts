import type { Run } from '../base/db.ts';
import type { ChangedFields } from '../domain/changes.ts';
import { changedFieldOf } from '../domain/field-of-change.ts';
import { fieldText } from '../domain/field-text.ts';
import { countyOf } from '../domain/property-id.ts';
import type { Became } from './search-terms.ts';

/** What became of a parcel in a search, for people. */
export type NamedNote = {
  property_id: number;
  name: string;
  became: Became;
  /** What was noted of the parcel; null where nothing was. */
  fields: ChangedFields | null;
  at: Date;
};

/** The newest notes of a search, with what people know the parcels by. */
export async function nameNotes(run: Run, searchId: string, limit: number): Promise<NamedNote[]> {
  const notes = await run<Omit<NamedNote, 'name'>>('searches/list_newest_notes', {
    search_id: searchId,
    limit,
  });
  const property_ids = [...new Set(notes.map(({ property_id }) => property_id))];
  const counties = [...new Set(property_ids.map(countyOf))];
  const named = await run<{ property_id: number; apn: string | null; situs_address: string | null }>(
    'searches/name_parcels',
    { counties, property_ids },
  );
  const names = new Map(
    named.map(({ property_id, apn, situs_address }) => [property_id, situs_address ?? apn]),
  );
  return notes.map(note => ({ ...note, name: names.get(note.property_id) ?? String(note.property_id) }));
}

const WORDS: Record<Became, string> = { added: 'added', removed: 'no longer found', changed: 'changed' };

/** "changed: Owner, Last sale price $42,000 → $96,500": of what is no amount and no day, that it changed. */
export function becameWords({ became, fields }: NamedNote): string {
  const told = Object.entries(fields ?? {}).flatMap(([field, [was, is]]) => {
    const spec = changedFieldOf(field);
    if (spec === undefined) return [];
    if (spec.unit === undefined && spec.type !== 'date') return [spec.label];
    return [`${spec.label} ${fieldText(spec, was) ?? '–'} → ${fieldText(spec, is) ?? '–'}`];
  });
  return [WORDS[became], told.join(', ')].filter(Boolean).join(': ');
}
