import { Icon, type IconName } from '../frame/icons.tsx';

const TOOLS: readonly (readonly [value: string, words: string, icon: IconName])[] = [
  ['measure', 'Measure distance and area', 'ruler'],
  ['radius', 'Draw a radius', 'circle'],
  ['spot', 'Show center coordinates', 'map-pin'],
  ['picture', 'Save a picture', 'image-down'],
];

/**
 * The map's tools. Most are hidden until the client module runs, because the map needs it.
 * @param isShared whether to offer a link to the view
 */
export const MapTools = ({ isShared }: { isShared: boolean }) => (
  <>
    <MapButtons isShared={isShared} />
    <details id="tools" class="map-menu" name="map-menu" hidden>
      <summary class="button second only" aria-label="Tools" title="Tools">
        <Icon name="ruler" />
      </summary>
      <div>
        {TOOLS.map(([value, words, icon]) => (
          <button type="button" value={value} class="quiet">
            <Icon name={icon} />
            {words}
          </button>
        ))}
      </div>
    </details>
    <div id="drawing" class="notice" hidden>
      <output />
      <div class="buttons">
        <button type="button" value="back" class="quiet small">
          Remove last point
        </button>
        <button type="button" value="cancel" class="quiet small">
          Cancel
        </button>
      </div>
    </div>
    <section id="spot" class="notice" aria-label="Coordinates" hidden>
      <button type="button" class="copy" data-copy="-">
        {' '}
        <Icon name="copy" />
      </button>
      <a href="https://www.google.com/maps" rel="noreferrer">
        Google Maps
      </a>
      <a href="https://www.openstreetmap.org" rel="noreferrer">
        OpenStreetMap
      </a>
      <button type="button" value="close" class="quiet small only" aria-label="Close">
        <Icon name="x" />
      </button>
    </section>
    <svg id="cross" viewBox="0 0 20 20" aria-hidden="true" class="unseen">
      <path d="M10 0V8M10 12V20M0 10H8M12 10H20" />
    </svg>
  </>
);

const MapButtons = ({ isShared }: { isShared: boolean }) => (
  <div class="map-tools">
    <button type="button" id="draw" class="second" title="Draw an area" hidden>
      <Icon name="pentagon" />
      <span>Draw an area</span>
    </button>
    <button type="button" id="fit" class="second" title="Fit to results" hidden>
      <Icon name="maximize" />
      <span>Fit to results</span>
    </button>
    {isShared && (
      <a id="share-view" class="button second" href="/data/share" title="Share this view" data-dialog>
        <Icon name="share-2" />
        <span>Share</span>
      </a>
    )}
    <button type="button" id="search-here" class="second" hidden>
      <Icon name="search" />
      Search this area
    </button>
  </div>
);
