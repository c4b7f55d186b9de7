import { lineTypeOfCarrier } from '../../../shared/domain/carriers.ts';
import type { LineType } from '../../../shared/domain/contact-fields.ts';
import type { NumberingInput } from '../../feeds/feed.ts';
import { NUMBERING_FIELD_NAMES } from '../../feeds/phone-schema.ts';
import type { Value } from '../../feeds/values/parser.ts';
import { compileFill, type DroppedValue, type Mapper, mapperOf, refused } from './fields.ts';
import type { Resolve } from './names.ts';

export type MappedBlock = {
  ok: true;
  values: Value[];
  dropped: DroppedValue[] | null;
  prefix: number;
  /** The thousand-block, -1 for the whole exchange. */
  block: number;
  operator: string | null;
  lineType: LineType | null;
};

/** Compiles the mapping of a feed of blocks of numbers. A row is refused that names no exchange. */
export function compileBlockMapper(input: NumberingInput): Mapper<MappedBlock> {
  return mapperOf(input, resolve => compile(input, resolve));
}

function compile(input: NumberingInput, resolve: Resolve) {
  const fill = compileFill('numbering', NUMBERING_FIELD_NAMES, input.columns, resolve);
  return ({ values: source }: { values: Record<string, unknown> }) => {
    const { values, dropped } = fill(source);
    const [area, exchange, block, operator, lineType] = values as (string | null)[];
    for (const [field, text] of [
      ['area_code', area],
      ['exchange', exchange],
    ] as const)
      if (!/^[2-9]\d{2}$/.test(text ?? ''))
        return refused(field, `bad_${field}`, `'${text ?? ''}' is not three digits, the first 2 to 9`);
    // The whole exchange is written as an empty cell, or A.
    if (block !== null && !/^[0-9A]$/i.test(block!))
      return refused('block', 'bad_block', `'${block}' is not one digit`);
    return {
      ok: true as const,
      ...{ values, dropped, operator: operator ?? null },
      prefix: Number(`${area}${exchange}`),
      block: /^\d$/.test(block ?? '') ? Number(block) : -1,
      lineType: (lineType as LineType | null) ?? (operator ? lineTypeOfCarrier(operator) : null),
    };
  };
}
