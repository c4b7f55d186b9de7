import {
  hmac,
  identityTags,
  keyHash,
  keyHashes,
  numbersOf,
  phoneKey,
  subjectOf,
} from '../../../../shared/contacts/person-identity.ts';
import { contactSecret } from '../../../../shared/contacts/suppression.ts';
import { placeOf } from '../../../../shared/kernels/person/match.ts';
import { CONTACT_FIELD_NAMES } from '../../../../shared/model/contact-fields.ts';
import { uuidV5 } from '../../../../shared/model/uuid.ts';
import { arrayLiteral, copyValue } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { literal, sql } from '../../../../shared/platform/statements.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import { digest } from '../../engine/row-hash.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows } from '../../engine/run-counts.ts';
import { type Faults, rejectDuplicates, stageByCopy } from '../../engine/stage-rows.ts';
import { compileContactMapper, type MappedContact, masking } from './contact-rows.ts';
import { CONTACT_ROWS, type ContactsFeed } from './contacts-feed.ts';
import { compareWithheld, stageWithheld } from './withheld-contacts.ts';

const isWithheld = ({ contacts }: ContactsFeed): boolean => contacts.withheldReason !== null;

/**
 * People with their phone numbers, or people whose numbers are withheld. A feed is a complete list, so people
 * who are no longer on it are deleted.
 */
export const contactsRecipe: Recipe<ContactsFeed, void> = {
  tables: [sql('contacts/create_contact_stage'), sql('contacts/create_withheld_stage')],
  stage: (run, feed) => (isWithheld(feed) ? stageWithheld : stageContacts)(run, feed),
  compare: (db, run, feed) => (isWithheld(feed) ? compareWithheld : compare)(db, run, feed),
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
  const subject = name && subjectOf(name);
  if (name === null || subject === null) return 'without_phone';
  const isListed = (tag: string) => list.hashes.has(hmac(list.secret, tag).toString('hex'));
  const any = list.hashes.size > 0;
  if (any && identityTags(subject, places).some(isListed)) return 'suppressed';
  const phones = any ? contact.phones.filter(({ number }) => !isListed(phoneKey(number))) : contact.phones;
  if (phones.length === 0) return contact.phones.length > 0 ? 'suppressed' : 'without_phone';
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
