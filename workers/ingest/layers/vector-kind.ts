import type { FeedBase } from '../../feeds/feed.ts';
import { mappedInput } from '../../feeds/feed-columns.ts';
import type { Report } from '../../feeds/locate-faults.ts';
import { FORMATS } from '../../formats/file-formats.ts';
import { readWindow } from '../../formats/format-input.ts';
import { type FileOf, feedKind, MAPPED } from '../engine/feed-kind.ts';
import { COVERAGE_SECTION } from './files-schema.ts';
import { layerSchema } from './layer-schema.ts';
import type { LayerFeed, VectorKind, VectorLayer } from './vector-layer.ts';

type LayerSections = { layer: ReturnType<typeof layerSchema> } & typeof COVERAGE_SECTION;

export const FEATURE_GATES = [
  'max_outside_percent',
  'max_outside_coverage_percent',
  'max_coverage_drop_percent',
  'max_coverage_growth_percent',
  'empty_columns',
  'allow_empty',
] as const;

/** A kind whose sources contain features, such as roads, zones, or place names. */
export const vectorKind = <Kind extends VectorKind>(layer: VectorLayer<Kind>) => ({
  ...feedKind({
    kind: layer.kind,
    sections: { layer: layerSchema([layer]) },
    sharedSections: COVERAGE_SECTION,
    needs: { section: 'layer', holds: MAPPED },
    gates: FEATURE_GATES,
    resolve: (file: FileOf<LayerSections>, base: FeedBase, report: Report) =>
      resolveLayer(layer, file, base, report),
    rows: { fields: layer.rows, sections: (feed: LayerFeed<Kind>) => ({ layer: feed.layer }) },
    ...(layer.isKnownBy && { isKnownBy: layer.isKnownBy }),
    recipe: async () => (await import('./vector-recipe.ts')).vectorRecipe(layer),
  }),
  layer: layer as VectorLayer,
});

function resolveLayer<Kind extends VectorKind>(
  { kind, rows, requires, usual, settings }: VectorLayer<Kind>,
  file: FileOf<LayerSections>,
  base: FeedBase,
  report: Report,
): LayerFeed<Kind> {
  const section = file.layer!;
  const { format, columns = {} } = section;
  // Places can have their coordinates in columns.
  if (!FORMATS[format].geometry && !rows.names.includes('longitude'))
    report(
      'layer.format',
      `${format} has no geometry; use another format, such as geojson, shapefile, or geopackage`,
    );
  for (const name of Object.keys(columns))
    if (!rows.names.includes(name))
      report(`layer.columns.${name}`, `is not a field of ${kind}, which has ${rows.names.join(', ')}`);
  const within = readWindow(section, base.fips, 'features', message => report('layer.within', message));
  // A road's class can be the feed's own or TIGER's (mtfcc). If the feed maps its own class, mtfcc isn't
  // required.
  const { mtfcc, ...others } = usual;
  const defaults = columns.class ? others : { ...others, mtfcc };
  const input = mappedInput<string>(section, { columns: defaults }, within);
  if (!requires.some(name => input.columns[name]))
    report('layer.columns', `features have no class: map ${requires.join(' or ')}`);
  const coverage = file.coverage ?? null;
  return {
    ...base,
    kind,
    layer: input,
    coverage,
    reachM: null,
    overlays: null,
    ...settings?.resolve(section),
  };
}
