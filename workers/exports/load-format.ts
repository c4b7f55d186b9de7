import type { ExportFormat } from '../../shared/exports/export-request.ts';
import type { OpenFile } from './file-writer.ts';

/** The writer of a format. Its library is loaded with the first file that needs it. */
export async function loadFormat(format: ExportFormat): Promise<OpenFile> {
  switch (format) {
    case 'csv':
      return (await import('./csv-file.ts')).openCsv;
    case 'xlsx':
      return (await import('./xlsx-file.ts')).openXlsx;
    case 'geojsonl':
      return (await import('./geojsonl-file.ts')).openGeoJsonLines;
    case 'geoparquet':
      return (await import('./geoparquet-file.ts')).openGeoParquet;
    case 'kml':
      return (await import('./kml-file.ts')).openKml;
  }
}
