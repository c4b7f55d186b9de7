import { groupBy } from '../../../shared/kernels/groups.ts';
import { MAX_CLASSES, type Overlay, paletteColor } from '../../../shared/model/overlays.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';

type StagedClass = { overlay: string; class: string; features: number };

/**
 * A run's overlays with the number of features in each class. An overlay without declared classes gets those
 * of its features, the most frequent first.
 * @throws PlatError `feed_mapping` for too many classes
 */
export async function withClasses(db: Db, overlays: readonly Overlay[]): Promise<Overlay[]> {
  const staged = groupBy(await db.run<StagedClass>('land/list_staged_classes'), row => row.overlay);
  return overlays.map(overlay => {
    const rows = staged.get(overlay.name) ?? [];
    if (rows.length > MAX_CLASSES)
      throw new PlatError(
        'feed_mapping',
        `layer.columns.${overlay.name}: the source has ${rows.length} classes, and an overlay can have ${MAX_CLASSES}. Combine them with values, contains, or otherwise.`,
      );
    const found = rows.map((row, i) => ({
      class: row.class,
      label: row.class,
      color: paletteColor(i),
      features: 0,
    }));
    const declared = overlay.classes.length > 0 ? overlay.classes : found;
    const features = new Map(rows.map(row => [row.class, row.features]));
    const classes = declared.map(item => ({ ...item, features: features.get(item.class) ?? 0 }));
    return { ...overlay, classes };
  });
}
