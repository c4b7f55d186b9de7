import { columnsOf, type ExportColumn } from '../../shared/exports/export-columns.ts';
import { type ExportFormat, type ExportKind, kindOf } from '../../shared/exports/export-request.ts';
import { readLetterHead } from '../../shared/exports/letter-head.ts';
import { SUGGESTED_LETTER } from '../../shared/exports/letter-text.ts';
import { findListOf } from '../../shared/exports/parcel-hits.ts';
import type { FileOptions, OpenFile, Sink, Written } from './file-writer.ts';
import { writeComps } from './write-comps.ts';
import { writeMail } from './write-mail.ts';
import { writeMarkets } from './write-markets.ts';
import { listGone, writeParcels } from './write-parcels.ts';

export async function writeFile(options: FileOptions): Promise<Written> {
  const { request, signal, keep, asOf } = options;
  const { format } = request;
  const kind = kindOf(request);
  const columns = columnsOf(request);
  const { boundary = format !== 'csv' && format !== 'xlsx' && kind !== 'comps' && kind !== 'markets' } =
    request;
  const layer = kind === 'comps' ? 'comps' : 'parcels';
  const writer =
    format === 'pdf'
      ? await openPdf(options, columns)
      : await (await loadFormat(format))(columns, { boundary, layer, asOf });
  let done = 0;
  const sink: Sink = {
    columns,
    boundary,
    copies: writer.writeCopied !== undefined,
    async write(batches, count, total) {
      signal.throwIfAborted();
      for await (const batch of batches)
        await keep('lines' in batch ? writer.writeCopied!(batch.lines, batch.credit) : writer.write(batch));
      if (writer.endBatch !== undefined) await keep(writer.endBatch());
      done += count;
      options.progress(total === 0 ? 1 : done / total, `${done} of ${total} rows`);
    },
  };
  try {
    const written = await WRITERS[kind](options, sink);
    for (const bytes of writer.end()) await keep(bytes);
    return written;
  } finally {
    await writer.close?.();
  }
}

const WRITERS: Record<ExportKind, (options: FileOptions, sink: Sink) => Promise<Written>> = {
  filter: writeParcels,
  owners: writeParcels,
  list: writeParcels,
  mail: writeMail,
  comps: writeComps,
  markets: writeMarkets,
};

async function openPdf({ db, request, companyId, asOf }: FileOptions, columns: readonly ExportColumn[]) {
  const list = await findListOf(db, companyId!, request.list_id!);
  if (list === undefined) throw listGone();
  const head = await readLetterHead(db, companyId!, asOf);
  const { openLetters } = await import('./pdf-file.ts');
  return openLetters(columns, { text: list.letter ?? SUGGESTED_LETTER, head, asOf });
}

/** The writer for a format. Its library is loaded when the first file needs it. */
async function loadFormat(format: Exclude<ExportFormat, 'pdf'>): Promise<OpenFile> {
  switch (format) {
    case 'csv':
      return (await import('./csv-file.ts')).openCsv;
    case 'xlsx':
      return (await import('./xlsx-file.ts')).openXlsx;
    case 'geojsonl':
      return (await import('./geojsonl-file.ts')).openGeoJsonLines;
    case 'geoparquet':
      return (await import('./geoparquet-file.ts')).openGeoParquet;
    case 'gpkg':
      return (await import('./geopackage-file.ts')).openGeoPackage;
    case 'fgb':
      return (await import('./flatgeobuf-file.ts')).openFlatGeobuf;
    case 'kml':
      return (await import('./kml-file.ts')).openKml;
  }
}
