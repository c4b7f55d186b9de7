import { formatError, limitsOf, truncatedError } from '../../shared/platform/http/download-context.ts';
import { checkColumns } from './column-names.ts';
import { utf8Bytes } from './decode-text.ts';
import type { LayoutField } from './input-settings.ts';
import { splitLines } from './json.ts';
import { addBad, addRow, type FileRead, isFull } from './row-batch.ts';

/**
 * Columns at the positions that the feed's layout specifies. Blank cells are null, and blank lines are
 * skipped.
 */
export async function* readFixedWidth({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  const { rowBytes } = limitsOf(context);
  const fields = placesOf(spec.layout ?? [], name);
  const width = Math.max(...fields.map(field => field.end));
  let skip = spec.skip_lines ?? 0;
  for await (const lines of splitLines(utf8Bytes(source.bytes(), spec.encoding), rowBytes)) {
    for (const { bytes, tooLong, unended } of lines) {
      if (skip-- > 0) continue;
      const line = bytes.toString('utf8');
      if (unended && line.length < fields.at(-1)!.start)
        throw truncatedError(name, `its last line has ${line.length} of ${width} characters and no line end`);
      if (tooLong) addBad(output, 'row_too_long', `the line is longer than ${rowBytes} bytes`, line);
      else {
        const values: Record<string, unknown> = {};
        for (const field of fields) values[field.name] = line.slice(field.start, field.end).trim() || null;
        addRow(output, values, null);
      }
      if (isFull(output)) yield;
    }
  }
}

type Place = { name: string; start: number; end: number };

/** The fields' positions, in the order in which they appear in a line. */
function placesOf(layout: readonly LayoutField[], name: string): Place[] {
  if (layout.length === 0)
    throw formatError(
      `${name}: fixed_width needs a "layout" in the feed: the name and width of each column.`,
    );
  checkColumns(
    layout.map(field => field.name),
    name,
  );
  let next = 0;
  const places = layout.map(field => {
    const start = field.start === undefined ? next : field.start - 1;
    next = start + field.width;
    return { name: field.name, start, end: next };
  });
  return places.sort((a, b) => a.start - b.start);
}
