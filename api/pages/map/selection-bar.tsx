import type { ComponentChildren } from 'preact';
import { html, type Markup } from '../frame/html.ts';
import { Icon } from '../frame/icons.tsx';

/** The form that the rows' checkboxes belong to, wherever they stand. */
const FORM = 'selection';

type SelectionBarProps = {
  /** Of the search, as the API takes them. */
  filters: object;
  /** Whether there are results to act on. */
  some: boolean;
  /** What the bar says while nothing is selected. */
  children: ComponentChildren;
};

/**
 * Stays above the results, with what one does with those that are selected. An action is a button in
 * `.buttons` with a `formaction`, to which it posts every selected `property_id`, and the search as JSON in
 * `filter`.
 */
export function SelectionBar({ filters, some, children }: SelectionBarProps) {
  return (
    <form id={FORM} class="selbar" method="post">
      {/* Enter in a checkbox presses the first button: it must not be one that acts. */}
      <button type="submit" disabled hidden>
        Nothing
      </button>
      <input type="hidden" name="filter" value={JSON.stringify(filters)} />
      <input type="checkbox" id="select-all" aria-label="Select all on this page" hidden />
      {children}
      <p id="selected" role="status" hidden />
      <button type="reset" class="quiet small" hidden>
        Clear
      </button>
      {some && (
        <div class="buttons">
          <button type="submit" formaction="/lists/add" class="second small">
            <Icon name="list-plus" /> Add to list
          </button>
          <button type="submit" formaction="/lists/add" name="all" value="true" class="quiet small">
            Add all results
          </button>
        </div>
      )}
    </form>
  );
}

type BoxProps = { id: number; name: string; acres: number | null };

/** Of a row. */
export const selectBox = ({ id, name, acres }: BoxProps): Markup =>
  html`<input type="checkbox" form="${FORM}" name="property_id" value="${id}" aria-label="Select ${name}" autocomplete="off" data-acres="${acres ?? 0}">`;
