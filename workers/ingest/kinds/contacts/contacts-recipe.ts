import { contactSecret } from '../../../../shared/contacts/suppression.ts';
import { asRun, type Client, compose, literal, sql, statement } from '../../../../shared/platform/db.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import { readBatches } from '../../engine/read-input.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { matchFigures, measureRows, rejectDuplicates } from '../../engine/run-counts.ts';
import { REJECTS_KEPT, withStages } from '../../engine/stage-schema.ts';
import { CONTACT_ROWS, type ContactsFeed } from './contacts-feed.ts';
import { compileContactMapper } from './map-contact.ts';
import { stageContacts } from './stage-contacts.ts';

/** People with their phone numbers. A feed is complete: people that it no longer lists are erased. */
export const contactsRecipe: Recipe<ContactsFeed, void> = {
  tables: [sql('contacts/create_contact_stage')],
  async stage(run, { name, contacts: input }) {
    const batches = readBatches(run, 'contacts', input.input);
    const secret = await contactSecret(asRun(run.pool));
    const { rows } = await run.pool.query<{ hash: Buffer }>('select hash from contact_suppressions');
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

/** Of several rows of a contact the one last seen counts, then the last of the file. */
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

async function compare(client: Client, run: RunContext, { gates }: ContactsFeed): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  await rejectDuplicates(
    client,
    counts,
    statement('feeds/set_repeats_aside', { run_id: runId, most: REJECTS_KEPT }, REPEATS),
  );
  await client.query('analyze stage_contact (id)');
  await client.query(compose('contacts/match_contacts', { feed: literal(feedId) }));
  const rows = await measureRows(client, run, matchFigures('stage_contact_match'));
  return {
    gate: checkListGates(run, rows, gates, 'contacts'),
    touched: counts.new + counts.changed + counts.retired > 0,
    async merge(transaction) {
      await transaction.query(statement('contacts/delete_gone_contacts', { feed_id: feedId }));
      await transaction.query(statement('contacts/upsert_contacts', { run_id: runId, feed_id: feedId }));
    },
  };
}
