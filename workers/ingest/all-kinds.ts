import type { FeedKindName } from '../../shared/model/feed-kinds.ts';
import type { FeedKind } from './engine/feed-kind.ts';
import type { Recipe } from './engine/recipe.ts';
import { assessor } from './kinds/assessor/assessor-kind.ts';
import { contacts } from './kinds/contacts/contacts-kind.ts';
import { countyFacts } from './kinds/county-facts/county-facts-kind.ts';
import { dnc } from './kinds/dnc/dnc-kind.ts';
import { elevation } from './kinds/elevation/elevation-kind.ts';
import { flood } from './kinds/flood/flood-kind.ts';
import { imagery } from './kinds/imagery/imagery-kind.ts';
import { listings } from './kinds/listings/listings-kind.ts';
import { numbering } from './kinds/numbering/numbering-kind.ts';
import { overlay } from './kinds/overlay/overlay-kind.ts';
import { places } from './kinds/places/places-kind.ts';
import { roads } from './kinds/roads/roads-kind.ts';
import { water } from './kinds/water/water-kind.ts';
import { wetlands } from './kinds/wetlands/wetlands-kind.ts';
import { zips } from './kinds/zips/zips-kind.ts';
import type { VectorLayer } from './layers/vector-layer.ts';

/** Every kind of feed, in the order of their sections in the feed schema. */
const KINDS = {
  assessor,
  listings,
  roads,
  wetlands,
  flood,
  water,
  overlay,
  places,
  zips,
  elevation,
  imagery,
  contacts,
  numbering,
  county_facts: countyFacts,
  dnc,
} satisfies { [Name in FeedKindName]: { kind: Name } };

export type Feed = Exclude<ReturnType<(typeof KINDS)[FeedKindName]['resolve']>, null>;

export const kindOf = (name: FeedKindName): FeedKind => KINDS[name];

export const ALL_KINDS: readonly FeedKind[] = Object.values(KINDS);

export const VECTOR_LAYERS: readonly VectorLayer[] = Object.values(KINDS).flatMap(kind =>
  'layer' in kind ? [kind.layer] : [],
);

export const recipeOf = (feed: Feed): Promise<Recipe> => kindOf(feed.kind).recipe(feed);
