import type { FileReader } from './row-batch.ts';

/**
 * A reader that stands on a library, and the megabytes that its process may hold: some 100 are Node's
 * and the library's.
 */
export type LibraryReader = { load: () => Promise<FileReader>; maxMb: number };

/**
 * They run in processes of their own, by reader-child.ts; what reads row by row needs no
 * more for a large file.
 */
export const LIBRARY_READERS = {
  shapefile: { load: async () => (await import('./shapefile.ts')).readShapefile, maxMb: 512 },
  flatgeobuf: { load: async () => (await import('./flatgeobuf.ts')).readFlatGeobuf, maxMb: 512 },
  geopackage: { load: async () => (await import('./geopackage.ts')).readGeoPackage, maxMb: 256 },
  // The sheet is held whole, up to LIMITS.xlsxBytes of it.
  xlsx: { load: async () => (await import('./xlsx.ts')).readXlsx, maxMb: 640 },
  // The file is held whole, and ends at LIMITS.accessBytes.
  access: { load: async () => (await import('./access.ts')).readAccess, maxMb: 1536 },
  // A column of a row group is held whole.
  parquet: { load: async () => (await import('./parquet.ts')).readParquet, maxMb: 1536 },
} satisfies Record<string, LibraryReader>;

export type LibraryFormat = keyof typeof LIBRARY_READERS;
