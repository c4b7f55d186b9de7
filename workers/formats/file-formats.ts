import type { FileKind } from './read-file.ts';
import type { FileReader } from './row-batch.ts';

export type FormatSpec = {
  title: string;
  geometry: boolean;
  /** Whether title lines may precede the line with column names. */
  mayHaveTitles?: true;
  /** Notes on the format for the docs. */
  notes?: string;
};

export type FileFormatSpec = FormatSpec &
  FileKind & {
    load(): Promise<FileReader>;
    /**
     * Memory limit of the library's process (reader-child.ts) in megabytes. The process itself needs about
     * 100.
     */
    maxMb?: number;
  };

/** All file formats. A file name belongs to the first format that has its extension. */
export const FILE_FORMATS = {
  csv: {
    title: 'CSV and other delimited text',
    extensions: ['.csv', '.txt', '.tsv', '.tab', '.psv'],
    geometry: false,
    mayHaveTitles: true,
    load: async () => (await import('./csv.ts')).readCsv,
  },
  geojson: {
    title: 'a GeoJSON FeatureCollection',
    extensions: ['.geojson', '.json'],
    geometry: true,
    load: async () => (await import('./collection.ts')).readCollection,
  },
  ndgeojson: {
    title: 'GeoJSON features, one per line',
    extensions: [
      '.ndgeojson',
      '.geojsonl',
      '.geojsons',
      '.geojsonseq',
      '.ndjson',
      '.jsonl',
      '.geojson',
      '.json',
    ],
    geometry: true,
    load: async () => (await import('./json.ts')).readFeatureLines,
  },
  shapefile: {
    title: 'a shapefile, plain or zipped',
    extensions: ['.shp'],
    siblings: ['.dbf', '.shx', '.prj', '.cpg'],
    geometry: true,
    load: async () => (await import('./shapefile.ts')).readShapefile,
    maxMb: 512,
  },
  ssurgo: {
    title: 'a soil survey (SSURGO), as the zip of a survey area',
    extensions: ['.shp'],
    members: ['soilmu_a_*.shp', 'gsmsoilmu_a_*.shp'],
    siblings: ['.dbf', '.shx', '.prj', '.cpg'],
    geometry: true,
    notes:
      'polygons of map units, with the columns of `mapunit.txt` and `muaggatt.txt`. A zip may have several survey areas',
    load: async () => (await import('./ssurgo.ts')).readSsurgo,
    maxMb: 512,
  },
  dbf: {
    title: 'a dBASE table',
    extensions: ['.dbf'],
    geometry: false,
    notes: 'also FoxPro',
    load: async () => (await import('./dbf.ts')).readDbf,
  },
  flatgeobuf: {
    title: 'FlatGeobuf',
    extensions: ['.fgb'],
    geometry: true,
    load: async () => (await import('./flatgeobuf.ts')).readFlatGeobuf,
    maxMb: 512,
  },
  ndjson: {
    title: 'JSON objects, one per line',
    extensions: ['.ndjson', '.jsonl', '.json'],
    geometry: false,
    load: async () => (await import('./json.ts')).readObjectLines,
  },
  geopackage: {
    title: 'a layer of a GeoPackage',
    extensions: ['.gpkg'],
    geometry: true,
    notes: 'also tables, but not views',
    load: async () => (await import('./geopackage.ts')).readGeoPackage,
    maxMb: 256,
  },
  fixed_width: {
    title: 'lines with fixed-width columns',
    extensions: ['.txt', '.dat', '.asc', '.fix'],
    geometry: false,
    notes: 'needs a `layout` (below)',
    load: async () => (await import('./fixed-width.ts')).readFixedWidth,
  },
  xlsx: {
    title: 'a sheet of an Excel workbook',
    extensions: ['.xlsx', '.xlsm'],
    zipHolds: '[Content_Types].xml',
    geometry: false,
    mayHaveTitles: true,
    notes: 'up to 64 MB unpacked, about 100,000 rows of 20 columns. Save larger sheets and .xls files as CSV',
    load: async () => (await import('./xlsx.ts')).readXlsx,
    // The whole sheet is in memory, up to LIMITS.xlsxBytes.
    maxMb: 640,
  },
  access: {
    title: 'a table of a Microsoft Access database',
    extensions: ['.mdb', '.accdb'],
    geometry: false,
    notes: 'up to 1 GB. Without pictures, attachments, and the shapes of personal geodatabases',
    load: async () => (await import('./access.ts')).readAccess,
    // The whole file is in memory, up to LIMITS.accessBytes.
    maxMb: 1536,
  },
  filegdb: {
    title: 'a layer of an Esri file geodatabase, folder or zipped',
    extensions: ['.gdb'],
    folderHolds: 'a00000001.gdbtable',
    geometry: true,
    notes:
      'needs GDAL: the optional package gdal3.js (`npm install` includes it), or `ogr2ogr` on the PATH. No multipatches',
    load: async () => (await import('./filegdb.ts')).readFileGdb,
  },
  parquet: {
    title: 'Parquet, including GeoParquet',
    extensions: ['.parquet', '.geoparquet', '.pq'],
    geometry: true,
    notes:
      "shapes as WKB. Without GeoParquet metadata, a binary column named `geometry`, `geom`, `the_geom`, `wkb`, `wkb_geometry`, or `shape` (or set `layer`), in the feed's `crs`. Row groups of the usual default size",
    load: async () => (await import('./parquet.ts')).readParquet,
    // A whole column of a row group is in memory.
    maxMb: 1536,
  },
} as const satisfies Record<string, FileFormatSpec>;

export type FileFormat = keyof typeof FILE_FORMATS;

/** Services that are read page by page. */
const SERVICES = {
  reso: { title: 'a RESO Web API', geometry: false, notes: '[above](#reading-sources)' },
  arcgis: {
    title: 'a layer of an ArcGIS FeatureServer or MapServer',
    geometry: true,
    notes: '[below](#arcgis-servers)',
  },
} as const satisfies Record<string, FormatSpec>;

export type Format = FileFormat | keyof typeof SERVICES;
export const FORMATS: Readonly<Record<Format, FormatSpec>> = { ...FILE_FORMATS, ...SERVICES };

export const fileFormat = (format: FileFormat): FileFormatSpec => FILE_FORMATS[format];
