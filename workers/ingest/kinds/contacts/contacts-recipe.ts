import { contactSecret } from '../../../../shared/contacts/suppression.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { literal, sql } from '../../../../shared/platform/statements.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import { readBatches } from '../../engine/read-input.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { measureRows, rejectDuplicates } from '../../engine/run-counts.ts';
import { REJECTS_KEPT, withStages } from '../../engine/stage-schema.ts';
import { CONTACT_ROWS, type ContactsFeed } from './contacts-feed.ts';
import { compileContactMapper } from './map-contact.ts';
import { stageContacts } from './stage-contacts.ts';

/** People with their phone numbers. A feed is complete: people that it no longer lists are deleted. */
export const contactsRecipe: Recipe<ContactsFeed, void> = {
  tables: [sql('contacts/create_contact_stage')],
  async stage(run, { name, contacts: input }) {
    const batches = readBatches(run, 'contacts', input.input);
    const secret = await contactSecret(run.db);
    const rows = await run.db.run<{ hash: Buffer }>('contacts/list_suppressions');
    const list = { secret, hashes: new Set(rows.map(row => row.hash.toString('hex'))) };
    await withStages(run, 1, ([copy], rejects) =>
      stageContacts(
        { name: 'contacts', batches, map: compileContactMapper(input) },
        { copy: copy!, rejects, counts: run.counts, feed: name, list },
      ),
    );
  },
  compare,
  check: (dryRun, { contacts: input }) =>
    checkPart(dryRun, 'contacts', input, { fields: CONTACT_ROWS, map: compileContactMapper(input) }),
};

/** Of several rows of a contact, the most recently seen one counts, then the last in the file. */
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
  await rejectDuplicates(
    db,
    counts,
    'feeds/set_repeats_aside',
    { run_id: runId, most: REJECTS_KEPT },
    REPEATS,
  );
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
