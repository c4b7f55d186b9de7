import { lineTypeOfCarrier } from '../../../../shared/model/carriers.ts';
import type { LineType } from '../../../../shared/model/contact-fields.ts';
import { compileFill, type MappedRow, type Mapper, mapperOf, rejectRow } from '../../engine/map-fields.ts';
import { NUMBERING_ROWS, type NumberingInput } from './numbering-feed.ts';

export type MappedBlock = MappedRow & {
  /** Area code and exchange. */
  prefix: number;
  /** The thousands block, or -1 for the whole exchange. */
  block: number;
  operator: string | null;
  lineType: LineType | null;
};

/** Compiles the mapping of a feed of number blocks. Rows without an exchange are rejected. */
export function compileBlockMapper(input: NumberingInput): Mapper<MappedBlock> {
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
      // The whole exchange is an empty cell, or A.
      if (block !== null && !/^[0-9A]$/i.test(block))
        return rejectRow('block', 'bad_block', `'${block}' is not one digit`);
      return {
        ...row,
        operator,
        prefix: Number(`${area}${exchange}`),
        block: /^\d$/.test(block ?? '') ? Number(block) : -1,
        lineType: (lineType as LineType | null) ?? (operator ? lineTypeOfCarrier(operator) : null),
      };
    };
  });
}
