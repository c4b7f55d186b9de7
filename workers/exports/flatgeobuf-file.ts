import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Builder } from 'flatbuffers';
import { magicbytes } from 'flatgeobuf/lib/mjs/constants.js';
import { Column } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js';
import { Crs } from 'flatgeobuf/lib/mjs/flat-geobuf/crs.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { boxAround, isEmptyBox } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { makeRunFolder } from '../ingest/engine/run-folder.ts';
import type { FileWriter, OpenOptions } from './file-writer.ts';
import { COLUMN_TYPES, featureEncoder } from './flatgeobuf-feature.ts';
import { NODE_SIZE, packIndex } from './flatgeobuf-index.ts';

/** Bytes returned at once. */
const CHUNK = 1 << 20;

/** Features in the draft, in the order in which they were written. */
type Features = { starts: number[]; sizes: number[]; boxes: Box[]; types: Set<GeometryType> };

/**
 * FlatGeobuf (https://flatgeobuf.org) with its spatial index, which needs the features along the Hilbert
 * curve. They wait in a draft until the last one is known.
 */
export async function openFlatGeobuf(
  columns: readonly ExportColumn[],
  { layer }: OpenOptions,
): Promise<FileWriter> {
  const folder = await makeRunFolder();
  const draft = openSync(join(folder, 'features'), 'w+');
  const encode = featureEncoder(columns);
  const features: Features = { starts: [], sizes: [], boxes: [], types: new Set() };
  let written = 0;
  return {
    write(rows) {
      const all: Uint8Array[] = [];
      for (const row of rows) {
        const { bytes, type, box } = encode(row);
        all.push(bytes.slice());
        features.starts.push(written);
        features.sizes.push(bytes.length);
        features.boxes.push(box);
        features.types.add(type);
        written += bytes.length;
      }
      writeSync(draft, Buffer.concat(all));
      return new Uint8Array();
    },
    *end() {
      yield Buffer.concat([magicbytes, headerOf(layer, columns, features)]);
      const order = orderOf(features);
      if (hasShapes(features)) yield indexOf(features, order);
      yield* readFeatures(features, order, draft);
    },
    async close() {
      closeSync(draft);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const hasShapes = ({ boxes }: Features): boolean => boxes.some(box => !isEmptyBox(box));

/** The box of a feature without a location is empty, so its center isn't a number, and it comes last. */
const orderOf = ({ boxes }: Features): Uint32Array =>
  hilbertOrder(
    boxes.map(([west, , east]) => (west + east) / 2),
    boxes.map(([, south, , north]) => (south + north) / 2),
  );

const indexOf = ({ sizes, boxes }: Features, order: Uint32Array): Uint8Array =>
  packIndex({ sizes: order.map(i => sizes[i]!), boxAt: at => boxes[order[at]!]! });

function* readFeatures(
  { starts, sizes }: Features,
  order: Uint32Array,
  draft: number,
): Generator<Uint8Array> {
  let chunk = Buffer.alloc(CHUNK);
  let used = 0;
  for (const i of order) {
    const size = sizes[i]!;
    if (used + size > chunk.length) {
      yield chunk.subarray(0, used);
      chunk = Buffer.alloc(Math.max(CHUNK, size));
      used = 0;
    }
    used += readSync(draft, chunk, used, size, starts[i]!);
  }
  yield chunk.subarray(0, used);
}

function headerOf(layer: string, columns: readonly ExportColumn[], features: Features): Uint8Array {
  const { sizes, boxes, types } = features;
  const isPlaced = hasShapes(features);
  const builder = new Builder();
  const name = builder.createString(layer);
  const columnOffsets = columns.map(column => {
    const title = builder.createString(column.name);
    Column.startColumn(builder);
    Column.addName(builder, title);
    Column.addType(builder, COLUMN_TYPES[column.type]);
    return Column.endColumn(builder);
  });
  const columnsOffset = Header.createColumnsVector(builder, columnOffsets);
  const organization = builder.createString('EPSG');
  Crs.startCrs(builder);
  Crs.addOrg(builder, organization);
  Crs.addCode(builder, 4326);
  const crs = Crs.endCrs(builder);
  const envelope = isPlaced ? Header.createEnvelopeVector(builder, boxAround(boxes)) : 0;
  Header.startHeader(builder);
  Header.addName(builder, name);
  if (isPlaced) Header.addEnvelope(builder, envelope);
  // Parcels without a boundary have a point. The shapes of such a file name their own types.
  Header.addGeometryType(builder, types.size === 1 ? [...types][0]! : GeometryType.Unknown);
  Header.addColumns(builder, columnsOffset);
  Header.addFeaturesCount(builder, BigInt(sizes.length));
  Header.addIndexNodeSize(builder, isPlaced ? NODE_SIZE : 0);
  Header.addCrs(builder, crs);
  builder.finishSizePrefixed(Header.endHeader(builder));
  return builder.asUint8Array();
}
