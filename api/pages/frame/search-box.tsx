import { Icon } from './icons.tsx';

/** The search box on every page. It works without JavaScript. On the map, it keeps the filters. */
export const SearchBox = ({ url }: { url: URL }) => (
  <search class="search">
    <form action="/search">
      <Icon name="search" />
      <input
        type="search"
        name="q"
        value={url.searchParams.get('q') ?? undefined}
        placeholder="Address, APN, owner, town, county, or ZIP"
        aria-label="Search Plat"
        aria-keyshortcuts="/ Control+K"
        autocomplete="off"
        spellcheck={false}
        maxlength={200}
        required
      />
      <span class="key" aria-hidden="true">
        /
      </span>
      {(url.pathname === '/data' || url.searchParams.has('filters')) && (
        <input type="hidden" name="filters" value={url.searchParams.get('filters') ?? url.search.slice(1)} />
      )}
    </form>
  </search>
);
