import { PLACE_GROUPS } from '../../../../shared/model/land-layers.ts';
import { rowFields } from '../../../feeds/feed-columns.ts';
import { rejectRow } from '../../engine/map-fields.ts';
import { vectorKind } from '../../layers/vector-kind.ts';
import { type Classifier, NAME_FIELD, textField } from '../../layers/vector-layer.ts';

/** Place names: points that are used for maps and search. */
export const places = vectorKind({
  kind: 'places',
  rows: rowFields({
    class: textField(
      "Class in the Geographic Names Information System, such as Lake or Summit. Classes that a map doesn't label, such as Civil, are ignored",
    ),
    name: NAME_FIELD,
    longitude: { type: 'degrees', doc: 'Longitude (WGS84) in degrees, for a source without points' },
    latitude: { type: 'degrees', doc: 'Latitude (WGS84) in degrees, for a source without points' },
  }),
  requires: ['class'],
  // The Geographic Names Information System.
  usual: {
    class: 'feature_class',
    name: 'feature_name',
    longitude: 'prim_long_dec',
    latitude: 'prim_lat_dec',
  },
  geometry: 'points',
  isNamed: true,
  isKnownBy: has => has('FEATURE_CLASS') && has('FEATURE_NAME'),
  classify(names) {
    const [ownClass, name] = [names.indexOf('class'), names.indexOf('name')];
    return values => placeClass(values[ownClass] ?? null, values[name] ?? null);
  },
});

/** GNIS adds "(historical)" to the names of places that no longer exist. */
function placeClass(own: string | null, name: string | null): ReturnType<Classifier> {
  if (own === null) return null;
  if (name === null) return rejectRow('name', 'missing_name', 'name is empty');
  if (/\(historical\)$/i.test(name)) return { class: null, label: 'historical' };
  return { class: PLACE_GROUPS.has(own) ? own : null, label: own };
}
