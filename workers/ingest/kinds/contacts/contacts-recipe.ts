import {
  hmac,
  identityTags,
  keyHash,
  keyHashes,
  numbersOf,
  phoneKey,
  type RecordName,
  subjectOf,
} from '../../../../shared/contacts/person-identity.ts';
import { contactSecret } from '../../../../shared/contacts/suppression.ts';
import { isEntity } from '../../../../shared/kernels/person/entity.ts';
import { type Address, placeOf } from '../../../../shared/kernels/person/match.ts';
import { parseOwnerPeople } from '../../../../shared/kernels/person/person.ts';
import {
  CONTACT_FIELD_NAMES,
  type LineType,
  MAX_PHONES,
  type StoredPhone,
} from '../../../../shared/model/contact-fields.ts';
import { uuidV5 } from '../../../../shared/model/uuid.ts';
import { arrayLiteral, copyValue } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { literal, sql } from '../../../../shared/platform/statements.ts';
import { mask } from '../../../feeds/values/text-value.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import {
  compileFill,
  type MappedRow,
  type Mapper,
  mapperOf,
  positionsOf,
  rejectRow,
} from '../../engine/map-fields.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import { digest } from '../../engine/row-hash.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows } from '../../engine/run-counts.ts';
import {
  type Faults,
  type Reject,
  type RejectWriter,
  rejectDuplicates,
  stageByCopy,
} from '../../engine/stage-rows.ts';
import { CONTACT_ROWS, type ContactInput, type ContactsFeed } from './contacts-feed.ts';

/**
 * People with their phone numbers. A feed is a complete list, so people who are no longer on it are deleted.
 */
export const contactsRecipe: Recipe<ContactsFeed, void> = {
  tables: [sql('contacts/create_contact_stage')],
  stage: stageContacts,
  compare,
  check: (dryRun, { contacts: input }) =>
    checkPart(dryRun, 'contacts', input, { fields: CONTACT_ROWS, map: compileContactMapper(input) }),
};

/**
 * If a contact has several rows, the most recently seen one is used. If there is a tie, it is the last one in
 * the file.
 */
const REPEATS = {
  table: 'stage_contact',
  key: 'id',
  order: 'last_seen desc nulls last, row_no desc',
  compared: 'hash',
  input: "'contacts'",
  field: 'source_id',
  reason: 'superseded',
  raw: "''",
  message: "format('Row %s has the same contact with a later date.', d.kept_row)",
};

async function compare(db: Db, run: RunContext, { gates }: ContactsFeed): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  await rejectDuplicates(db, run, 'feeds/set_repeats_aside', REPEATS);
  await db.execute('analyze stage_contact (id)');
  await db.run('contacts/match_contacts', {}, { feed: literal(feedId) });
  const rows = await measureRows(db, run, 'feeds/measure_matches', {}, { matches: 'stage_contact_match' });
  return {
    gate: checkListGates(run, rows, gates, 'contacts'),
    touched: counts.new + counts.changed + counts.retired > 0,
    async merge(tx) {
      await tx.run('contacts/delete_gone_contacts', { feed_id: feedId });
      await tx.run('contacts/upsert_contacts', { run_id: runId, feed_id: feedId });
    },
  };
}

type MappedContact = MappedRow & {
  source: string;
  sourceId: string | null;
  name: RecordName;
  /** The person's addresses, the current one first. */
  places: Address[];
  /** Phone numbers, best first. Empty if the row can't be used for traces. */
  phones: StoredPhone[];
  emails: string[];
  lastSeen: string | null;
};

const AT: Record<string, number> = positionsOf(CONTACT_FIELD_NAMES);

/** Rejects rows without a name or a place. */
function compileContactMapper(input: ContactInput): Mapper<MappedContact> {
  return mapperOf(input, resolve => {
    const fill = compileFill(CONTACT_ROWS, input.columns, resolve);
    return ({ values: source }) => {
      const row = fill(source);
      const text = (field: string) => row.values[AT[field]!] as string | null;
      const name = nameOf(text);
      if (name === null) return rejectRow('name', 'missing_name', 'the row names no person or entity');
      const places = ['', 'previous_']
        .map(prefix => addressOf(text, prefix))
        .filter(({ zip, city, state }) => zip !== null || (city !== null && state !== null));
      if (places.length === 0)
        return rejectRow('zip', 'missing_place', 'the row has no ZIP code, and no city with a state');
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

type Suppressions = { secret: Buffer; hashes: ReadonlySet<string> };

const COPY = `copy stage_contact (row_no, hash, id, source, source_id, entity_name, first_name, middle_name, last_name, suffix, places,
  phones, emails, last_seen, keys) from stdin`;

/** Suppressed people, and rows without a phone number, are counted but not stored. */
async function stageContacts(run: RunContext, { name, contacts }: ContactsFeed): Promise<void> {
  const { db, counts } = run;
  const secret = await contactSecret(db);
  const rows = await db.run<{ hash: Buffer }>('contacts/list_suppressions');
  const list = { secret, hashes: new Set(rows.map(row => row.hash.toString('hex'))) };
  const skipped = { suppressed: 0, without_phone: 0 };
  const input = { name: 'contacts', input: contacts.input, map: compileContactMapper(contacts) };
  const stageRow =
    (write: (line: string) => void) =>
    (contact: MappedContact, row: SourceRow, faults: Faults): void => {
      for (const value of contact.dropped ?? []) faults.drop(row, value);
      countFilled(counts.filled, CONTACT_FIELD_NAMES, contact.values);
      const line = contactLine(row.rowNo, name, contact, list);
      if (line === 'suppressed' || line === 'without_phone') {
        skipped[line]++;
        counts.skipped++;
      } else write(line);
    };
  await stageByCopy(run, input, COPY, stageRow, masking);
  Object.assign(counts, skipped);
}

function contactLine(rowNo: number, feed: string, contact: MappedContact, list: Suppressions): string {
  const { name, places, emails, lastSeen, source } = contact;
  const subject = subjectOf(name);
  const isListed = (tag: string) => list.hashes.has(hmac(list.secret, tag).toString('hex'));
  const any = list.hashes.size > 0;
  if (subject !== null && any && identityTags(subject, places).some(isListed)) return 'suppressed';
  const phones = any ? contact.phones.filter(({ number }) => !isListed(phoneKey(number))) : contact.phones;
  if (phones.length === 0 || subject === null)
    return contact.phones.length > 0 && subject !== null ? 'suppressed' : 'without_phone';
  const record = [
    name.entity_name,
    name.first_name,
    name.middle_name,
    name.last_name,
    name.suffix,
    JSON.stringify(places),
    JSON.stringify(phones),
    arrayLiteral(emails),
    lastSeen,
    arrayLiteral([
      ...keyHashes(subject, places.map(placeOf)),
      ...numbersOf(phones).map(number => keyHash(phoneKey(number))),
    ]),
  ].map(copyValue);
  const hash = digest(record.join('\t'));
  const sourceId = contact.sourceId ?? hash;
  const id = uuidV5(`contact:${feed}\u0000${sourceId}`);
  return [rowNo, hash, id, copyValue(source), copyValue(sourceId), ...record].join('\t');
}

/** Masks values in rejects, so that only their pattern is stored. Column names in JSON stay readable. */
function masking(rejects: RejectWriter): RejectWriter {
  return { ...rejects, add: (reject: Reject) => rejects.add({ ...reject, raw: maskRaw(reject.raw) }) };
}

function maskRaw(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw), (_key, value) =>
      typeof value === 'string' || typeof value === 'number' ? mask(String(value)) : value,
    );
  } catch {
    return mask(raw);
  }
}
