import { lineTypeOfCarrier } from '../../../../shared/model/carriers.ts';
import type { LineType } from '../../../../shared/model/contact-fields.ts';
import { copyValue } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { checkListGates } from '../../engine/gate.ts';
import { compileFill, mapperOf, rejectRow } from '../../engine/map-fields.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import { digest } from '../../engine/row-hash.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, measureRows } from '../../engine/run-counts.ts';
import { keepFirst, stageByCopy } from '../../engine/stage-rows.ts';
import { NUMBERING_ROWS, type NumberingFeed, type NumberingInput } from './numbering-feed.ts';

/** Blocks of phone numbers with their carriers. Blocks that the feed no longer lists are deleted. */
export const numberingRecipe: Recipe<NumberingFeed, void> = {
  tables: [sql('contacts/create_block_stage')],
  stage: (run, { numbering: { input, ...mapping } }) =>
    stageByCopy(
      run,
      { name: 'numbering', input, map: compileBlockMapper(mapping) },
      'copy stage_block (row_no, prefix, block, operator, line_type, hash) from stdin',
      write =>
        ({ values, prefix, block, operator, lineType }, { rowNo }) => {
          countFilled(run.counts.filled, NUMBERING_ROWS.names, values);
          const cells = [copyValue(operator), copyValue(lineType)].join('\t');
          write([rowNo, prefix, block, cells, digest(cells)].join('\t'));
        },
    ),
  compare,
  check: (dryRun, { numbering: input }) =>
    checkPart(dryRun, 'numbering', input, { fields: NUMBERING_ROWS, map: compileBlockMapper(input) }),
};

async function compare(db: Db, run: RunContext, { gates }: NumberingFeed): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  // If a block has two carriers, the last row wins.
  await keepFirst(db, run, { table: 'stage_block', key: 'prefix, block', order: 'row_no desc' });
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

/** Compiles the mapping for a number block feed. Rows without an exchange are rejected. */
function compileBlockMapper(input: Omit<NumberingInput, 'input'>) {
  return mapperOf(input, resolve => {
    const fill = compileFill(NUMBERING_ROWS, input.columns, resolve);
    return ({ values: source }) => {
      const row = fill(source);
      const [area = null, exchange = null, block = null, operator = null, lineType = null] = row.values as (
        | string
        | null
      )[];
      for (const [field, text] of Object.entries({ area_code: area, exchange }))
        if (!/^[2-9]\d{2}$/.test(text ?? ''))
          return rejectRow(field, `bad_${field}`, `'${text ?? ''}' is not three digits, the first 2 to 9`);
      // An empty cell or A means the whole exchange.
      if (block !== null && !/^[0-9A]$/i.test(block))
        return rejectRow('block', 'bad_block', `'${block}' is not one digit`);
      return {
        ...row,
        operator,
        // Area code and exchange.
        prefix: Number(`${area}${exchange}`),
        block: /^\d$/.test(block ?? '') ? Number(block) : -1,
        lineType: (lineType as LineType | null) ?? (operator ? lineTypeOfCarrier(operator) : null),
      };
    };
  });
}
