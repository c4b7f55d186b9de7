import { createHmac, hash } from 'node:crypto';
import { entityName, isEntity } from '../kernels/person/entity.ts';
import { type Address, type Place, placeOf, type Subject, searchKeys } from '../kernels/person/match.ts';
import { formalNames } from '../kernels/person/nicknames.ts';
import { parseOwnerPeople, person } from '../kernels/person/person.ts';
import type { StoredPhone } from '../model/contact-fields.ts';

export type RecordName = {
  entity_name: string | null;
  first_name: string | null;
  middle_name: string | null;
  last_name: string | null;
  suffix: string | null;
};

export function subjectOf(name: RecordName): Subject | null {
  if (name.entity_name !== null) {
    const entity = entityName(name.entity_name);
    return entity === null ? null : { entity };
  }
  const { first_name, middle_name, last_name, suffix } = name;
  const parsed = person(first_name ?? '', last_name ?? '', middle_name ?? '', suffix ?? '');
  return parsed && { person: parsed };
}

/**
 * A personal trust is named after the person who created it, who is the one to call about the land. Estates
 * are excluded, because the owner has died.
 */
const PERSONAL_TRUST = /\b(?:TR|TRUST|TRUS|TRST|TRUSTEES?|FAMILY)\b/i;

/**
 * The subjects that an owner text names, in lookup order: the entity, then each person, with every possible
 * reading of the name.
 */
export function subjectsOf(owner: string): Subject[] {
  const people = parseOwnerPeople(owner).flatMap(readings => readings.map(found => ({ person: found })));
  if (!isEntity(owner)) return people;
  const entity = entityName(owner);
  return [...(entity === null ? [] : [{ entity }]), ...(PERSONAL_TRUST.test(owner) ? people : [])];
}

/** The first 64 bits of the hash of a key from `searchKeys`, in PostgreSQL's bigint format. */
export const keyHash = (key: string): string => hash('sha256', key, 'buffer').readBigInt64BE(0).toString();

export function keyHashes(subject: Subject, places: readonly Place[]): string[] {
  return [...new Set(places.flatMap(place => searchKeys(subject, place)).map(keyHash))];
}

/** The key of a phone number, for `plat contact find --phone` and the suppression list. */
export const phoneKey = (number: string): string => `n|${number}`;

export const isPhoneKey = (tag: string): boolean => tag.startsWith('n|');

/**
 * Suppression tags for a person: every formal version of the given name, combined with the ZIP, or with the
 * city if there is no ZIP.
 * @param stored true for tags stored in the list itself, which must also match requests that have only a city
 */
export function identityTags(subject: Subject, places: readonly Address[], stored = false): string[] {
  const names =
    'entity' in subject
      ? [`e|${subject.entity}`]
      : [...new Set([...subject.person.last, subject.person.last.join('')])].flatMap(last =>
          formalNames(subject.person.first).map(first => `p|${last}|${first}`),
        );
  const tags = places.map(placeOf).flatMap(({ zip, city, state }) => {
    const town = city !== null && state !== null ? `${city}|${state}` : null;
    const ofEntity = 'entity' in subject && state !== null ? [`s|${state}`] : [];
    if (zip === null) return town === null ? ofEntity : [`t|${town}`, `o|${town}`, ...ofEntity];
    return [`z|${zip}`, ...(town === null ? [] : stored ? [`t|${town}`] : [`o|${town}`]), ...ofEntity];
  });
  return names.flatMap(name => [...new Set(tags)].map(tag => `${name}|${tag}`));
}

/** All suppression tags for people and entities, and for their phone numbers. */
export function storedTags(
  subjects: readonly Subject[],
  places: readonly Address[],
  numbers: readonly string[],
): string[] {
  const tags = subjects.flatMap(subject => identityTags(subject, places, true));
  return [...new Set([...tags, ...numbers.map(phoneKey)])];
}

export function hmac(secret: Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

export const numbersOf = (phones: readonly StoredPhone[]): string[] => phones.map(({ number }) => number);
