import { formatError, sourceError } from '../../shared/platform/http/download-context.ts';
import { readCsv } from './csv.ts';
import { addBad, addRow, type FileRead, newOutput, takeBatch } from './row-batch.ts';
import { readRecords } from './shapefile.ts';

/*
 * A survey area of the Soil Survey Geographic Database: polygons of map units in spatial/, and pipe-delimited
 * tables without a header in tabular/. The columns are those of SSURGO 2.3, in the order of mstabcol.txt.
 */

const MUAGGATT =
  'musym muname mustatus slopegraddcp slopegradwta brockdepmin wtdepannmin wtdepaprjunmin flodfreqdcd flodfreqmax pondfreqprs aws025wta aws050wta aws0100wta aws0150wta drclassdcd drclasswettest hydgrpdcd iccdcd iccdcdpct niccdcd niccdcdpct engdwobdcd engdwbdcd engdwbll engdwbml engstafdcd engstafll engstafml engsldcd engsldcp englrsdcd engcmssdcd engcmssmp urbrecptdcd urbrecptwta forpehrtdcp hydclprs awmmfpwwta mukey';

const MAPUNIT =
  'musym muname mukind mustatus muacres mapunitlfw_l mapunitlfw_r mapunitlfw_h mapunitpfa_l mapunitpfa_r mapunitpfa_h farmlndcl muhelcl muwathelcl muwndhelcl interpfocus invesintens iacornsr nhiforsoigrp nhspiagr vtsepticsyscl mucertstat lkey mukey';

/** The symbol and the key are columns of the polygons too. */
const OF_POLYGONS = ['musym', 'mukey'];

type Table = { name: string; blank: Values; rows: Map<string, Values> };
type Values = Record<string, unknown>;

/** Adds the columns of both tables to each polygon. If a table lacks the map unit, they are null. */
export async function* readSsurgo(reading: FileRead): AsyncGenerator<void> {
  const tables = [
    await readTable(reading, 'mapunit.txt', MAPUNIT),
    await readTable(reading, 'muaggatt.txt', MUAGGATT),
  ];
  const { output } = reading;
  yield* readRecords(reading, (record, geometry) => {
    const key = String(record.MUKEY ?? record.mukey);
    const values = { ...record };
    for (const { rows, blank } of tables) Object.assign(values, rows.get(key) ?? blank);
    const lacking = tables.filter(({ rows }) => !rows.has(key)).map(({ name }) => name);
    addRow(output, values, geometry);
    const row = output.batch.rows.at(-1);
    if (lacking.length > 0 && row?.values === values)
      row.short = `map unit ${key} is not in ${lacking.join(' or ')}`;
  });
}

async function readTable(
  { source, spec, output, context }: FileRead,
  name: string,
  list: string,
): Promise<Table> {
  const file = await source.sibling(`../tabular/${name}`);
  if (file === null)
    throw sourceError(
      `${source.name} has no tabular/${name}, which has the soils' properties. Set the source to the whole zip of the survey area.`,
    );
  const columns = list.split(' ');
  const csv = newOutput(undefined);
  const table: Table = { name, blank: blankOf(columns), rows: new Map() };
  let bad = 0;
  const take = () => {
    const batch = takeBatch(csv);
    for (const { values, short } of batch.rows) {
      const { mukey } = values;
      if (short === undefined) table.rows.set(String(mukey), { ...table.blank, ...withoutKeys(values) });
      else
        batch.bad.push({
          rowNo: 0,
          reason: 'ragged_row',
          field: null,
          message: short,
          raw: String(Object.values(values)),
        });
    }
    for (const { reason, message, raw } of batch.bad) {
      bad++;
      addBad(output, reason, `${name}: ${message}`, raw);
    }
  };
  const opened = { ...file, sibling: async () => null, close: async () => {} };
  const csvSpec = { source: file.name, header: columns, delimiter: '|', encoding: spec.encoding };
  for await (const _ of readCsv({ source: opened, spec: csvSpec, output: csv, context })) take();
  take();
  if (bad > 0 && table.rows.size === 0)
    throw formatError(
      `${file.name} doesn't have the ${columns.length} columns of SSURGO 2.3. Convert the survey to that version, or to a layer that has the columns of muaggatt.`,
    );
  return table;
}

const blankOf = (columns: readonly string[]): Values =>
  Object.fromEntries(columns.filter(name => !OF_POLYGONS.includes(name)).map(name => [name, null]));

function withoutKeys({ musym: _symbol, mukey: _key, ...values }: Values): Values {
  return values;
}
