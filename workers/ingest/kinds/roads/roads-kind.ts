import { z } from 'zod';
import { MTFCC_CLASSES, ROAD_REACH_M, type RoadReach } from '../../../../shared/model/land-layers.ts';
import { rowFields } from '../../../feeds/feed-columns.ts';
import { vectorKind } from '../../layers/vector-kind.ts';
import { NAME_FIELD, textField } from '../../layers/vector-layer.ts';

const reach = (roadClass: keyof typeof ROAD_REACH_M) =>
  z
    .number()
    .positive()
    // One mile, which is wider than any right-of-way. Larger values would increase the area that is read
    // around each parcel.
    .max(1609)
    .describe(`Distance in meters from the centerline of such a road. Default: ${ROAD_REACH_M[roadClass]}.`)
    .optional();

const reachSchema = z
  .strictObject({
    highway: reach('highway'),
    normal: reach('normal'),
    local: reach('local'),
    private: reach('private'),
  })
  .describe('Kind roads: maximum distance between a boundary and a road of each class to count as frontage.')
  .optional();

/** Roads: lines. Plat measures frontage and access from them. */
export const roads = vectorKind({
  kind: 'roads',
  rows: rowFields({
    class: {
      type: 'road_class',
      doc: "Class of the road: highway, normal, or local; private for roads that provide access but no frontage; none for ways that cars don't use",
    },
    mtfcc: textField(
      'Feature class code in TIGER: S1100 is highway, S1200 normal, S1400 local; S1630, S1640, S1730, S1740, and S1780 provide access only; others are ignored',
    ),
    name: NAME_FIELD,
  }),
  requires: ['class', 'mtfcc'],
  // TIGER/Line.
  usual: { mtfcc: 'MTFCC', name: 'FULLNAME' },
  geometry: 'lines',
  settings: {
    schema: { reach: reachSchema },
    resolve: ({ reach }) => ({ reachM: { ...ROAD_REACH_M, ...(reach as Partial<RoadReach> | undefined) } }),
  },
  isKnownBy: has => has('MTFCC') && !has('HYDROID'),
  classify(names, raw) {
    const [ownClass, mtfcc] = [names.indexOf('class'), names.indexOf('mtfcc')];
    return (values, source) => {
      const code = values[mtfcc]?.toUpperCase();
      const roadClass = values[ownClass] ?? (code === undefined ? null : (MTFCC_CLASSES[code] ?? 'none'));
      if (roadClass === null) return null;
      return roadClass === 'none'
        ? { class: null, label: raw(source) ?? 'none' }
        : { class: roadClass, label: roadClass };
    };
  },
});
