import type { RecordName } from '../../../../shared/contacts/person-identity.ts';
import { isEntity } from '../../../../shared/kernels/person/entity.ts';
import type { Address } from '../../../../shared/kernels/person/match.ts';
import { parseOwnerPeople } from '../../../../shared/kernels/person/person.ts';
import {
  CONTACT_FIELD_NAMES,
  type LineType,
  MAX_PHONES,
  type StoredPhone,
} from '../../../../shared/model/contact-fields.ts';
import {
  compileFill,
  type MappedRow,
  type Mapper,
  mapperOf,
  positionsOf,
  rejectRow,
} from '../../engine/map-fields.ts';
import { CONTACT_ROWS, type ContactInput } from './contacts-feed.ts';

export type MappedContact = MappedRow & {
  source: string;
  sourceId: string | null;
  name: RecordName;
  /** The present address first. */
  places: Address[];
  /** The best first; empty for a row that can answer no trace. */
  phones: StoredPhone[];
  emails: string[];
  lastSeen: string | null;
};

const AT: Record<string, number> = positionsOf(CONTACT_FIELD_NAMES);

/** Rejects rows without a name or a place. */
export function compileContactMapper(input: ContactInput): Mapper<MappedContact> {
  return mapperOf(input, resolve => {
    const fill = compileFill(CONTACT_ROWS, input.columns, resolve);
    return ({ values: source }) => {
      const row = fill(source);
      const text = (field: string) => row.values[AT[field]!] as string | null;
      const name = nameOf(text);
      if (name === null) return rejectRow('name', 'missing_name', 'neither a person nor an entity is named');
      const places = ['', 'previous_']
        .map(prefix => addressOf(text, prefix))
        .filter(({ zip, city, state }) => zip !== null || (city !== null && state !== null));
      if (places.length === 0)
        return rejectRow('zip', 'missing_place', 'neither a ZIP nor a city with its state is given');
      return {
        ...row,
        name,
        places,
        phones: phonesOf(text),
        source: text('source') ?? input.label,
        sourceId: text('source_id'),
        emails: (text('emails') ?? '').split(/[\s,;|]+/).filter(email => /^\S+@\S+\.\S+$/.test(email)),
        lastSeen: text('last_seen'),
      };
    };
  });
}

type Text = (field: string) => string | null;

function nameOf(text: Text): RecordName | null {
  const none = { entity_name: null, first_name: null, middle_name: null, last_name: null, suffix: null };
  const [entity, whole] = [text('entity_name'), text('name')];
  const [first_name, last_name] = [text('first_name'), text('last_name')];
  if (first_name !== null && last_name !== null)
    return { ...none, first_name, middle_name: text('middle_name'), last_name, suffix: text('suffix') };
  if (entity !== null) return { ...none, entity_name: entity };
  if (whole === null) return null;
  if (isEntity(whole)) return { ...none, entity_name: whole };
  const person = parseOwnerPeople(whole)[0]?.[0];
  if (person === undefined) return null;
  const { first, middle, last, suffix } = person;
  return { ...none, first_name: first, middle_name: middle || null, last_name: last.join(' '), suffix };
}

function addressOf(text: Text, prefix: string): Address {
  return {
    address: text(`${prefix}address`),
    city: text(`${prefix}city`),
    state: text(`${prefix}state`),
    zip: text(`${prefix}zip`),
  };
}

function phonesOf(text: Text): StoredPhone[] {
  const phones: StoredPhone[] = [];
  for (let i = 1; i <= MAX_PHONES; i++) {
    const number = text(`phone_${i}`);
    if (number === null || phones.some(phone => phone.number === number)) continue;
    phones.push({ number, line_type: text(`phone_${i}_type`) as LineType | null });
  }
  return phones;
}
