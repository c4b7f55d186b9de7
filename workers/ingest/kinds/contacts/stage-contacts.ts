import {
  hmac,
  identityTags,
  keyHash,
  keyHashes,
  numbersOf,
  phoneKey,
  subjectOf,
} from '../../../../shared/contacts/person-identity.ts';
import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { placeOf } from '../../../../shared/kernels/person/match.ts';
import { CONTACT_FIELD_NAMES } from '../../../../shared/model/contact-fields.ts';
import { uuidV5 } from '../../../../shared/model/uuid.ts';
import { arrayLiteral, copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { mask } from '../../../feeds/values/text-value.ts';
import { digest } from '../../engine/row-hash.ts';
import { countFilled } from '../../engine/run-counts.ts';
import { type RowInput, stageRows } from '../../engine/stage-rows.ts';
import type { Reject, RejectWriter } from '../../engine/stage-schema.ts';
import type { MappedContact } from './map-contact.ts';

export type Suppressions = { secret: Buffer; hashes: ReadonlySet<string> };

export type ContactStage = {
  copy: Db;
  rejects: RejectWriter;
  counts: RunCounts;
  feed: string;
  list: Suppressions;
};

const COPY = `copy stage_contact (row_no, hash, id, source, source_id, entity_name, first_name, middle_name, last_name, suffix, places,
  phones, emails, last_seen, keys) from stdin`;

/** Suppressed people, and rows without a phone number, are counted but not stored. */
export async function stageContacts(input: RowInput<MappedContact>, stage: ContactStage): Promise<void> {
  const { counts, feed, list } = stage;
  const copy = openCopy(stage.copy, COPY);
  let [suppressed, withoutPhone] = [0, 0];
  await stageRows(
    input,
    { counts, rejects: masking(stage.rejects) },
    (contact, row, faults) => {
      for (const value of contact.dropped ?? []) faults.drop(row, value);
      countFilled(counts.filled, CONTACT_FIELD_NAMES, contact.values);
      const line = contactLine(row.rowNo, feed, contact, list);
      if (line === 'suppressed') suppressed++;
      if (line === 'without_phone') withoutPhone++;
      if (line === 'suppressed' || line === 'without_phone') counts.skipped++;
      else copy.write(line);
    },
    () => copy.drain(),
  );
  await copy.end();
  Object.assign(counts, { suppressed, without_phone: withoutPhone });
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

/** Rejects that show the form of what was there; where the raw text is JSON the names of its columns stay. */
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
