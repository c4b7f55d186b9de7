import type { Overlay } from '../../../../shared/model/overlays.ts';
import { rowFields } from '../../../feeds/feed-columns.ts';
import { OVERLAYS_SECTION } from '../../../feeds/overlays-schema.ts';
import { feedKind, MAPPED } from '../../engine/feed-kind.ts';
import { rejectRow } from '../../engine/map-fields.ts';
import { COVERAGE_SECTION } from '../../layers/files-schema.ts';
import { layerSchema } from '../../layers/layer-schema.ts';
import { FEATURE_GATES } from '../../layers/vector-kind.ts';
import type { Classifier, LayerFeed, OverlayValues, VectorLayer } from '../../layers/vector-layer.ts';
import { FEATURE_FIELDS, overlayFields, resolveOverlay } from './overlay-feed.ts';

const layer: VectorLayer<'overlay'> = {
  kind: 'overlay',
  rows: rowFields(FEATURE_FIELDS),
  requires: [],
  usual: {},
  geometry: 'any',
  classify: () => () => null,
  forFeed(feed) {
    const overlays = feed.overlays!;
    const mapped = overlays.flatMap(({ name }) => (feed.layer.columns[name] ? [name] : []));
    return {
      ...layer,
      rows: overlayFields(overlays),
      requires: mapped.length === overlays.length ? mapped : [],
      classify: names => classifier(overlays, names, new Set(mapped)),
    };
  },
};

/** Rejects a feature without a class in any overlay. An overlay whose class isn't mapped has one class. */
function classifier(
  overlays: readonly Overlay[],
  names: readonly string[],
  mapped: ReadonlySet<string>,
): Classifier {
  const known = overlays.map(({ classes }) => new Set(classes.map(item => item.class)));
  return values => {
    const fields: OverlayValues = {};
    for (const [i, { name, numbers }] of overlays.entries()) {
      const value = mapped.has(name) ? values[names.indexOf(name)] : name;
      if (value == null) continue;
      if (known[i]!.size > 0 && !known[i]!.has(value))
        return rejectRow(
          name,
          'unknown_class',
          `'${value}' is not a class of ${name}. Add it to overlays.${name}.classes, map it with layer.columns.${name}.values or contains, or skip it with layer.skip_where.`,
        );
      fields[name] = value;
      for (const number of numbers) {
        const measured: unknown = values[names.indexOf(number.name)];
        if (typeof measured === 'number') fields[number.name] = measured;
      }
    }
    const classes = overlays.flatMap(({ name }) => (name in fields ? [String(fields[name])] : []));
    return classes.length === 0 ? null : { class: classes[0]!, label: classes.join(' · '), overlays: fields };
  };
}

/** Overlays: areas, lines, or points of any data. Plat measures shares by class, and distances. */
export const overlay = {
  ...feedKind({
    kind: 'overlay',
    sections: { layer: layerSchema([layer]), ...OVERLAYS_SECTION },
    sharedSections: COVERAGE_SECTION,
    needs: { section: 'layer', holds: MAPPED },
    gates: FEATURE_GATES,
    resolve: resolveOverlay,
    rows: {
      fields: layer.rows,
      sections: (feed: LayerFeed<'overlay'>) => ({ layer: { ...feed.layer, columns: {} } }),
    },
    recipe: async () => (await import('../../layers/vector-recipe.ts')).vectorRecipe(layer),
  }),
  layer: layer as VectorLayer,
};
