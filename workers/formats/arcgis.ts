import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { redactUrl } from '../../shared/platform/http/download-context.ts';
import { rowMaker } from './arcgis-features.ts';
import { countFeatures, readLayerInfo } from './arcgis-layer.ts';
import { readPages, type Source } from './arcgis-pages.ts';
import { choosePaging, spoolLayer } from './arcgis-spool.ts';
import { addFeature } from './features.ts';
import type { InputSettings } from './input-settings.ts';
import { readLines } from './json.ts';
import { addBad, type BadReason, isFull, type Output, type ReadContext } from './row-batch.ts';
import { openSource, type Progress } from './source.ts';

/**
 * Downloads a whole layer to a file before reading it. If only some rows are needed, yields them as they
 * arrive instead.
 */
export async function* readArcgis(
  spec: InputSettings,
  output: Output,
  context: ReadContext,
  progress: Progress,
): AsyncGenerator<void> {
  const info = await readLayerInfo(spec, context);
  const source: Source = {
    url: info.url,
    info,
    spec,
    context,
    toRow: rowMaker(info, spec),
    refusedInRow: 0,
  };
  yield* context.rows === undefined ? readSpooled(source, output, progress) : readSome(source, output);
}

async function* readSome(source: Source, output: Output): AsyncGenerator<void> {
  const total = source.context.rows!;
  const wanted = output.rowNo + total;
  const { plan, layerSize } = await choosePaging(source, null);
  for await (const { lines } of readPages(source, plan, { ...layerSize, total }, { ahead: 0 })) {
    for (const line of lines) addLine(output, line);
    if (output.rowNo >= wanted) return;
    if (isFull(output)) yield;
  }
  const count = await countFeatures(source);
  const sent = output.rowNo - (wanted - total);
  if (count !== null && count > sent) source.context.onShortfall?.(count, sent);
}

async function* readSpooled(source: Source, output: Output, progress: Progress): AsyncGenerator<void> {
  const { context, spec, info } = source;
  const folder = context.workDir ?? (await mkdtemp(join(context.tmpDir, 'layer-')));
  const query = JSON.stringify([info.url.href, spec.arcgis, spec.within]);
  const path = join(folder, createHash('sha256').update(query).digest('hex').slice(0, 16));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await spoolLayer(source, path);
    const opened = await openSource(path, { extensions: [] }, context, progress);
    const reading = {
      source: { ...opened, name: redactUrl(info.url) },
      spec: { ...spec, encoding: 'utf-8' },
      output,
      context,
    };
    yield* readLines(reading, addLine);
  } finally {
    if (context.workDir === undefined) await rm(folder, { recursive: true, force: true });
  }
}

type Refusal = { refused: string; reason?: BadReason };

function addLine(output: Output, line: string): void {
  if (line.startsWith('{"refused":')) {
    const { refused, reason = 'not_sent', ...at } = JSON.parse(line) as Refusal;
    addBad(output, reason, refused, JSON.stringify(at));
  } else addFeature(output, line);
}
