import { copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import { readBatches } from '../../engine/read-input.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import { digest } from '../../engine/row-hash.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows, rejectDuplicates } from '../../engine/run-counts.ts';
import { stageRows } from '../../engine/stage-rows.ts';
import { withStages } from '../../engine/stage-schema.ts';
import { compileBlockMapper } from './map-block.ts';
import { NUMBERING_ROWS, type NumberingFeed } from './numbering-feed.ts';

/** Blocks of phone numbers with their carriers. Blocks that the feed no longer lists are removed. */
export const numberingRecipe: Recipe<NumberingFeed, void> = {
  tables: [sql('contacts/create_block_stage')],
  async stage(run, { numbering: input }) {
    const { counts } = run;
    const batches = readBatches(run, 'numbering', input.input);
    await withStages(run, 1, async ([connection], rejects) => {
      const copy = openCopy(
        connection!,
        'copy stage_block (row_no, prefix, block, operator, line_type, hash) from stdin',
      );
      await stageRows(
        { name: 'numbering', batches, map: compileBlockMapper(input) },
        { counts, rejects },
        ({ values, prefix, block, operator, lineType }, { rowNo }) => {
          countFilled(counts.filled, NUMBERING_ROWS.names, values);
          const cells = [copyValue(operator), copyValue(lineType)].join('\t');
          copy.write([rowNo, prefix, block, cells, digest(cells)].join('\t'));
        },
        () => copy.drain(),
      );
      await copy.end();
    });
  },
  compare,
  check: (dryRun, { numbering: input }) =>
    checkPart(dryRun, 'numbering', input, { fields: NUMBERING_ROWS, map: compileBlockMapper(input) }),
};

async function compare(db: Db, run: RunContext, { gates }: NumberingFeed): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with what is there', 0.68);
  // Of two carriers of one block the last row wins.
  await rejectDuplicates(
    db,
    counts,
    'feeds/keep_first',
    {},
    { table: 'stage_block', key: 'prefix, block', order: 'row_no desc' },
  );
  await db.execute('analyze stage_block (prefix)');
  const rows = await measureRows(db, run, 'contacts/measure_blocks', { feed_id: feedId });
  return {
    gate: checkListGates(run, rows, gates, 'blocks'),
    touched: counts.new + counts.changed + counts.retired > 0,
    async merge(tx) {
      await tx.run('contacts/delete_gone_blocks', { feed_id: feedId });
      await tx.run('contacts/upsert_blocks', { feed_id: feedId });
    },
  };
}
