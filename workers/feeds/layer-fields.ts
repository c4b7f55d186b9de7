import type { LayerKind } from '../../shared/domain/land.ts';
import type { ColumnSpec } from './column-schema.ts';
import type { TargetSpec } from './values/parser.ts';

/** The kinds whose sources hold features; elevation is files of heights. */
export type VectorKind = Exclude<LayerKind, 'elevation'>;

const text = (doc: string): TargetSpec => ({ type: 'text', doc });

/** What tells of a feature whether, and as what, it counts. */
export const LAYER_FIELDS = {
  roads: {
    class: {
      type: 'road_class',
      doc: 'Class of a road: highway, normal, local, or none for one that does not count',
    },
    mtfcc: text(
      'Feature class code of TIGER: S1100 is a highway, S1200 normal, S1400 local, no other counts',
    ),
  },
  wetlands: {
    attribute: text(
      'Code of the National Wetlands Inventory, such as PFO1E; codes that begin with U are uplands',
    ),
    type: text('Its wetland type in words, such as Riverine'),
  },
  flood: {
    zone: text('Flood zone of FEMA, such as AE or X'),
    subtype: text('Its subtype, such as FLOODWAY'),
    sfha: text('Whether it is a special flood hazard area (T or F, IN or OUT); wins over the zone'),
  },
} as const satisfies Record<VectorKind, Record<string, TargetSpec>>;

export type LayerField = { [Kind in VectorKind]: keyof (typeof LAYER_FIELDS)[Kind] }[VectorKind];

export const LAYER_FIELD_NAMES = Object.fromEntries(
  Object.entries(LAYER_FIELDS).map(([kind, fields]) => [kind, Object.keys(fields)]),
) as Record<VectorKind, LayerField[]>;

/** A feature is known by one of these; a source that has none of their columns cannot be read. */
export const DECISIVE: Record<VectorKind, readonly LayerField[]> = {
  roads: ['class', 'mtfcc'],
  wetlands: ['attribute', 'type'],
  flood: ['zone', 'sfha'],
};

/**
 * Columns of the national publications: TIGER/Line, the National Wetlands Inventory, and the National Flood Hazard Layer
 * before the names of the older Q3 flood data.
 */
export const LAYER_DEFAULTS: Record<VectorKind, Partial<Record<LayerField, string | ColumnSpec>>> = {
  roads: { mtfcc: 'MTFCC' },
  wetlands: { attribute: 'ATTRIBUTE', type: 'WETLAND_TYPE' },
  flood: {
    zone: { first_of: ['FLD_ZONE', 'ZONE'] },
    subtype: 'ZONE_SUBTY',
    sfha: { first_of: ['SFHA_TF', 'SFHA'] },
  },
};
