import { count } from '../../../shared/model/figures.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import type { Total } from '../../../shared/parcels/filter/hit-statements.ts';
import { countOnRoll } from '../../../shared/parcels/map-statements.ts';
import { undefinedIfRefused } from '../../http/error-responses.ts';
import { type Visit, withParam } from '../frame/visit.ts';
import { ClassSwatch } from '../parts/swatch.tsx';
import { isLacking, type Known, missingDataText } from './filter-needs.ts';
import {
  type Classes,
  type Color,
  type ColorClass,
  classifyHits,
  colorsWith,
  countHits,
  NO_COLOR,
  swatchesOf,
} from './map-colors.ts';
import type { NearMiss } from './no-hits.tsx';
import { readTileHits } from './tile-hits.ts';

/** How the map is colored. If `by` is undefined, all results have the same color. */
export type Colored = {
  by?: Color | undefined;
  classes?: Classes | undefined;
  /** Undefined if the URL has no search. */
  hits?: number | undefined;
  /** The results' total acres. Undefined for a whole county. */
  acres?: number | undefined;
  /** The search names only a county, so every parcel in it is a result, and none is marked. */
  isWhole: boolean;
  /** Parcels in the searched county, or in all counties, that aren't results. */
  others: number;
};

export async function readColored(visit: Visit): Promise<Colored> {
  const { db } = visit.deps;
  const search = await readTileHits(visit);
  const county = search?.body.county;
  const parcels = await countOnRoll(db, county === undefined ? null : Number(county));
  if (search === undefined) return { isWhole: false, others: parcels };
  const { body, asking, color } = search;
  const isWhole = county !== undefined && Object.keys(body).length === 1;
  // The results are all of the county's parcels, which have already been counted.
  if (color === undefined && isWhole) return { hits: parcels, isWhole, others: 0 };
  const counting = color
    ? classifyHits(db, body, asking, color, isWhole ? parcels : undefined)
    : countHits(db, body, asking);
  const counted = await counting.catch(undefinedIfRefused);
  const all = counted && 'classes' in counted ? counted : undefined;
  const { count: hits, acres } = all?.total ?? (counted as Partial<Total> | undefined) ?? {};
  const isChosen = visit.url.searchParams.has('color');
  const classes = isChosen || all?.classes.some(one => one.count > 0) ? all : undefined;
  return {
    by: classes && color,
    classes,
    hits,
    acres,
    isWhole: isWhole && classes === undefined,
    others: parcels - (hits ?? 0),
  };
}

type LegendProps = {
  url: URL;
  colored: Colored;
  /** The overlays of the searched county, which can color the map too. */
  overlays: readonly Overlay[];
  /** Undefined if the search doesn't name one county. */
  known: Known | undefined;
  /** The open parcel and the others of its assemblage. Undefined if no parcel is open. */
  picked: number | undefined;
  /** The search whose results the map outlines if nothing matches. */
  nearMiss: NearMiss | undefined;
};

/** The legend for the map's colors, with a choice of other colors. The client reads the colors from it. */
export function MapLegend({ url, colored, overlays, known, picked = 0, nearMiss }: LegendProps) {
  const { by, classes, hits, isWhole, others } = colored;
  const all = classes?.classes ?? [];
  const swatches = by && classes ? swatchesOf(by, classes) : [];
  const keys = all.map((one, at) => ({ ...one, swatch: swatches[at]! }));
  // An overlay can have a hundred classes.
  const filled = keys.filter(({ count }) => count > 0);
  const isUnknown = classes !== undefined && classes.unknown > 0 && filled.length === 0;
  const shown = isUnknown || (by && 'kinds' in by && by.swatches) ? filled : keys;
  return (
    <details
      id="legend"
      class="legend"
      open
      data-near-miss={isWhole ? '' : nearMiss?.search}
      data-colors={
        by && JSON.stringify(keys.map(({ from, swatch }) => [Number.isFinite(from) ? from : null, swatch]))
      }
    >
      <summary>
        {by?.label ?? 'Legend'}
        {shown.length > 0 && <Ramp keys={shown} />}
        {isUnknown && <small class="ramp">Unknown</small>}
      </summary>
      {isUnknown && by && <WhyUnknown by={by} known={known} />}
      <ul>
        {by === undefined && hits !== undefined && !isWhole && (
          <Key swatch="hit" words="Matches" count={hits} />
        )}
        {shown.map(one => (
          <Key {...one} />
        ))}
        {classes && classes.unknown > 0 && <Key swatch="none" words="Unknown" count={classes.unknown} />}
        {nearMiss && (
          <Key swatch="near-miss" words={`Would match without ${nearMiss.words}`} count={nearMiss.count} />
        )}
        {picked > 0 && <Key swatch="pick" words="Open parcel" count={1} />}
        {picked > 1 && <Key swatch="together" words="The rest of its assemblage" count={picked - 1} />}
        {isWhole ? (
          <Key swatch="parcel" words="Parcels" count={hits ?? 0} />
        ) : (
          others > 0 && (
            <Key
              swatch="parcel"
              words={hits === undefined ? 'Parcels' : 'Other parcels'}
              count={others - (nearMiss?.count ?? 0)}
            />
          )
        )}
        <Key swatch="absent" words="No county data" />
      </ul>
      {hits !== undefined && <ColorChoice url={url} by={by} overlays={overlays} known={known} />}
    </details>
  );
}

function WhyUnknown({ by, known }: { by: Color; known: Known | undefined }) {
  if (known === undefined || !isLacking(by, known)) return null;
  const { name, state } = known.coverage;
  return (
    <p>
      No {missingDataText([by], known)} for {name}, {state}
    </p>
  );
}

type ChoiceProps = Pick<LegendProps, 'url' | 'overlays' | 'known'> & { by: Color | undefined };

/** The colors to choose from. Those without data in the county come last. */
function ColorChoice({ url, by, overlays, known }: ChoiceProps) {
  const colors = colorsWith(overlays).map(color => ({ ...color, isEmpty: isLacking(color, known) }));
  colors.sort((a, b) => Number(a.isEmpty) - Number(b.isEmpty));
  return (
    <details>
      <summary>Color by</summary>
      <ul>
        {[undefined, ...colors].map(color => (
          <li>
            <a
              href={withParam(url, 'color', color?.name ?? NO_COLOR)}
              aria-current={color?.name === by?.name ? 'true' : undefined}
            >
              {color?.label ?? 'None'}
            </a>
            {color?.isEmpty && <small> no data</small>}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The colors of the closed legend on a phone, with the words of the first and the last. */
const Ramp = ({ keys }: { keys: readonly (ColorClass & { swatch: string })[] }) => (
  <span class="ramp">
    <span>
      {keys.map(({ swatch }) => (
        <ClassSwatch of={swatch} />
      ))}
    </span>
    <small>
      <span>{keys[0]?.words}</span>
      <span>{keys.at(-1)?.words}</span>
    </small>
  </span>
);

const Key = ({ swatch, words, count: hits }: { swatch: string; words: string; count?: number }) => (
  <li>
    <ClassSwatch of={swatch} />
    <span>{words}</span>
    {hits !== undefined && <b>{count(hits)}</b>}
  </li>
);
