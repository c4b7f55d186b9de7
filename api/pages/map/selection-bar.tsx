import type { ComponentChildren } from 'preact';
import { boundaryName } from '../../../shared/kernels/acres-together.ts';
import { count } from '../../../shared/model/figures.ts';
import { html, type Markup } from '../frame/html.ts';
import { Icon } from '../frame/icons.tsx';
import { IconButton } from '../frame/layout.tsx';
import { nameOf, type ResultRow } from './result-rows.ts';

/** The form that the rows' checkboxes belong to. */
const FORM = 'selection';

type SelectionBarProps = {
  filters: object;
  hits: number;
  /** Links to other actions on the search. */
  links: ComponentChildren;
  /** The bar's content while nothing is selected. */
  children: ComponentChildren;
};

/**
 * The bar above the results, with actions for selected parcels. Each action is a button in `.buttons` with a
 * `formaction`. It posts every selected `property_id`, and the search as JSON in `filter`. Scripts disable
 * the buttons with `data-selected` while nothing is selected.
 */
export function SelectionBar({ filters, hits, links, children }: SelectionBarProps) {
  return (
    <form id={FORM} class="selbar" method="post">
      {/* Pressing Enter in a checkbox presses the first button, so the first button does nothing. */}
      <button type="submit" disabled hidden>
        No action
      </button>
      <input type="hidden" name="filter" value={JSON.stringify(filters)} />
      <label class="pick">
        <input type="checkbox" id="select-all" aria-label="Select all on this page" hidden />
      </label>
      {children}
      <p id="selected" role="status" hidden />
      <button
        type="reset"
        class="quiet small only"
        aria-label="Clear selection"
        title="Clear selection"
        hidden
      >
        <Icon name="x" />
      </button>
      {hits > 0 && (
        <div class="buttons">
          {links}
          <IconButton
            words={`Add all ${count(hits)} to a list`}
            icon="list-checks"
            name="all"
            value="true"
            formaction="/lists/add"
            data-dialog
          />
          <button type="submit" formaction="/lists/add" class="small" data-selected data-dialog>
            <Icon name="list-plus" /> Add to list
          </button>
        </div>
      )}
    </form>
  );
}

export function selectBox(row: ResultRow): Markup {
  const { property_id: id, point, effective_acres, calculated_acres } = row;
  const [lon, lat] = point ?? [];
  const boundary =
    lon !== undefined &&
    lat !== undefined &&
    calculated_acres !== null &&
    html`data-boundary="${boundaryName(lon, lat, calculated_acres)}" data-boundary-acres="${calculated_acres}"`;
  return html`<label class="pick"><input type="checkbox" form="${FORM}" name="property_id" value="${id}" aria-label="Select ${nameOf(row)}" autocomplete="off" data-acres="${effective_acres ?? 0}" ${boundary}></label>`;
}
