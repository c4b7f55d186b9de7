import { spawnSync } from 'node:child_process';

const PROGRAM = `
import io, json, sys
from openpyxl import load_workbook
book = load_workbook(io.BytesIO(sys.stdin.buffer.read()), read_only=True)
print(json.dumps([[cell for cell in row] for row in book.worksheets[0].iter_rows(values_only=True)], default=str))
`;

const python = '/usr/bin/python3';
export const HAS_OPENPYXL = spawnSync(python, ['-c', 'import openpyxl']).status === 0;

/** The cells in a workbook's first sheet, as openpyxl reads them. */
export function readWithOpenpyxl(workbook: Buffer): unknown[][] {
  const { status, stdout, stderr } = spawnSync(python, ['-c', PROGRAM], {
    input: workbook,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`openpyxl: ${stderr}`);
  return JSON.parse(stdout) as unknown[][];
}
