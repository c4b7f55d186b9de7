import type { ComponentChildren } from 'preact';
import { boundaryName } from '../../../shared/kernels/acres-together.ts';
import { html, type Markup } from '../frame/html.ts';
import { Icon } from '../frame/icons.tsx';
import { nameOf, type ResultRow } from './result-rows.ts';

/** The form that the rows' checkboxes belong to. */
const FORM = 'selection';

type SelectionBarProps = {
  filters: object;
  some: boolean;
  /** The bar's content while nothing is selected. */
  children: ComponentChildren;
};

/**
 * The bar above the results, with actions for selected parcels. Each action is a button in `.buttons` with a
 * `formaction`. It posts every selected `property_id`, and the search as JSON in `filter`.
 */
export function SelectionBar({ filters, some, children }: SelectionBarProps) {
  return (
    <form id={FORM} class="selbar" method="post">
      {/* Pressing Enter in a checkbox presses the first button, so the first button does nothing. */}
      <button type="submit" disabled hidden>
        No action
      </button>
      <input type="hidden" name="filter" value={JSON.stringify(filters)} />
      <input type="checkbox" id="select-all" aria-label="Select all on this page" hidden />
      {children}
      <p id="selected" role="status" hidden />
      <button type="reset" class="quiet small" hidden>
        Clear selection
      </button>
      {some && (
        <div class="buttons">
          <button type="submit" formaction="/lists/add" class="second small">
            <Icon name="list-plus" /> Add to list
          </button>
          <button type="submit" formaction="/lists/add" name="all" value="true" class="quiet small">
            Add all to list
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
  return html`<input type="checkbox" form="${FORM}" name="property_id" value="${id}" aria-label="Select ${nameOf(row)}" autocomplete="off" data-acres="${effective_acres ?? 0}" ${boundary}>`;
}
