import { Icon } from './icons.tsx';

/** The search of every page: a form that works without script. */
export const SearchBox = ({ query }: { query: string | undefined }) => (
  <search class="search">
    <form action="/search">
      <Icon name="search" />
      <input
        type="search"
        name="q"
        value={query}
        placeholder="Address, APN, owner, town, county or ZIP"
        aria-label="Search all of Plat"
        autocomplete="off"
        spellcheck={false}
        required
      />
    </form>
  </search>
);
