import { hmac, numbersOf, storedTags, subjectOf } from '../../../../shared/contacts/person-identity.ts';
import { contactSecret } from '../../../../shared/contacts/suppression.ts';
import { CONTACT_FIELD_NAMES } from '../../../../shared/model/contact-fields.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { checkListGates } from '../../engine/gate.ts';
import type { Prepared } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows } from '../../engine/run-counts.ts';
import { stageByCopy } from '../../engine/stage-rows.ts';
import { compileContactMapper, masking } from './contact-rows.ts';
import type { ContactsFeed } from './contacts-feed.ts';

/** Stages the hashes of people and numbers that a feed withholds, as the suppression list stores them. */
export async function stageWithheld(run: RunContext, { contacts }: ContactsFeed): Promise<void> {
  const secret = await contactSecret(run.db);
  const input = { name: 'contacts', input: contacts.input, map: compileContactMapper(contacts) };
  await stageByCopy(
    run,
    input,
    'copy stage_withheld (hash) from stdin',
    write =>
      ({ values, name, places, phones }) => {
        countFilled(run.counts.filled, CONTACT_FIELD_NAMES, values);
        const subject = name && subjectOf(name);
        for (const tag of storedTags(subject ? [subject] : [], places, numbersOf(phones)))
          write(`\\\\x${hmac(secret, tag).toString('hex')}`);
      },
    masking,
  );
}

export async function compareWithheld(
  db: Db,
  run: RunContext,
  { gates, contacts: { withheldReason: reason } }: ContactsFeed,
): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  await db.execute('analyze stage_withheld (hash)');
  const rows = await measureRows(db, run, 'contacts/measure_withheld', { feed_id: feedId, reason });
  return {
    gate: checkListGates(run, rows, gates, 'entries'),
    touched: counts.new + counts.changed + counts.retired > 0,
    async merge(tx) {
      await tx.run('contacts/delete_gone_withheld', { feed_id: feedId });
      await tx.run('contacts/upsert_withheld', { feed_id: feedId, reason });
    },
  };
}
