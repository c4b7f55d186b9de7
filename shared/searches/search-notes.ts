import type { ChangedFields } from '../model/changes.ts';
import { changedFieldOf, namedText } from '../model/field-of-change.ts';
import { acres } from '../model/figures.ts';
import { countyOf } from '../model/property-id.ts';
import { shortApn, titleCase } from '../model/roll-text.ts';
import type { Db } from '../platform/db.ts';
import type { Became } from './search-terms.ts';

export type NamedNote = {
  property_id: number;
  name: string;
  /** Distinguishes the parcel from others: `APN 7-44 · 19.5 acres`. */
  detail: string;
  became: Became;
  /** The fields that changed; null if none were recorded. */
  fields: ChangedFields | null;
  at: Date;
};

/** The newest notes of a search, with the address or APN of each parcel. */
export async function nameNotes(db: Db, searchId: string, limit: number): Promise<NamedNote[]> {
  const notes = await db.run<Omit<NamedNote, 'name' | 'detail'>>('searches/list_newest_notes', {
    search_id: searchId,
    limit,
  });
  // With an empty list of counties, a cluster would query all of its servers.
  if (notes.length === 0) return [];
  const property_ids = [...new Set(notes.map(({ property_id }) => property_id))];
  const counties = [...new Set(property_ids.map(countyOf))];
  const summary = 'p.property_id, p.apn, p.situs_address, p.effective_acres';
  const named = await db.run<NamedParcel>('parcels/read_summaries', { counties, property_ids }, { summary });
  const parcels = new Map(named.map(parcel => [parcel.property_id, parcel]));
  return notes.map(note => ({ ...note, ...namesOf(note.property_id, parcels.get(note.property_id)) }));
}

type NamedParcel = {
  property_id: number;
  apn: string | null;
  situs_address: string | null;
  effective_acres: number | null;
};

function namesOf(property_id: number, parcel: NamedParcel | undefined): { name: string; detail: string } {
  const { situs_address = null, apn = null, effective_acres: size = null } = parcel ?? {};
  const number = apn === null ? `Parcel ${property_id}` : `APN ${shortApn(apn)}`;
  const facts = [situs_address !== null && apn !== null && number, size !== null && `${acres(size)} acres`];
  return {
    name: situs_address === null ? number : titleCase(situs_address),
    detail: facts.filter(Boolean).join(' · '),
  };
}

export const BECAME_WORDS: Readonly<Record<Became, string>> = {
  added: 'added',
  removed: 'no longer matches',
  changed: 'changed',
};

/** A changed field, with its old and new values if they are shown. */
export type ShownChange = { label: string; values?: string };

/**
 * @param texts whether to include names and other text fields. Emails exclude them, because emails get
 * forwarded
 */
export const shownChanges = ({ fields }: NamedNote, texts: boolean): ShownChange[] =>
  Object.entries(fields ?? {}).flatMap(([field, values]) => {
    const spec = changedFieldOf(field);
    if (spec === undefined || values.every(value => value === null)) return [];
    const { label } = spec;
    const isText = spec.unit === undefined && spec.type !== 'date';
    // Show only the label, because a boundary's values mean nothing to people.
    if (field === 'boundary' || (isText && !texts)) return [{ label }];
    const [was, is] = values.map(value => namedText(field, spec, value));
    return [{ label, values: `${was} → ${is}` }];
  });

/** Describes a change for use in emails, such as "changed: Owner, Last sale price $42,000 → $96,500". */
export function becameWords(note: NamedNote): string {
  const changes = shownChanges(note, false).map(({ label, values }) =>
    [label, values].filter(Boolean).join(' '),
  );
  return [BECAME_WORDS[note.became], changes.join(', ')].filter(Boolean).join(': ');
}
