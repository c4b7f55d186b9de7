import type { ComponentChildren, VNode } from 'preact';
import { Icon, type IconName } from './icons.tsx';

export const Back = ({ to, words }: { to: string; words: string }) => (
  <p class="crumb">
    <a href={to}>{words}</a>
  </p>
);

type TextProps = { x: number; y: number; words: string; anchor?: 'start' | 'middle' | 'end'; class?: string };

export const Text = ({ x, y, words, anchor = 'middle', ...more }: TextProps) => (
  <text x={x} y={y} text-anchor={anchor} {...more}>
    {words}
  </text>
);

const NOTICE_ICONS = {
  info: 'info',
  good: 'circle-check',
  warn: 'triangle-alert',
  bad: 'triangle-alert',
} as const;

type NoticeProps = {
  kind?: keyof typeof NOTICE_ICONS;
  /** The page that shows what changed, for the toast after a dialog. */
  page?: string;
  children: ComponentChildren;
};

export const narrowPage = (title: string, content: ComponentChildren) => ({
  title,
  body: (
    <section class="narrow card" data-dialog-content>
      <h1>{title}</h1>
      {content}
    </section>
  ),
});

type PanelProps = {
  id: string;
  title: ComponentChildren;
  /** Shown next to the title. */
  aside?: ComponentChildren;
  /** For a panel filled by a table. */
  flush?: boolean;
  children: ComponentChildren;
};

export const Panel = ({ id, title, aside, flush, children }: PanelProps) => (
  <section class={flush ? 'card flush' : 'card'} id={id} aria-labelledby={`${id}-title`}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
);

/** Breadcrumbs, with a link to each page above this one. */
export const Crumbs = ({ of }: { of: readonly (readonly [words: string, to?: string])[] }) => (
  <p class="crumb">
    {of.map(([words, to], i) => (
      <>
        {i > 0 && <Icon name="chevron-right" />}
        {to === undefined ? words : <a href={to}>{words}</a>}
      </>
    ))}
  </p>
);

export function Notice({ kind = 'info', page, children }: NoticeProps) {
  return (
    <p class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'} data-page={page}>
      <Icon name={NOTICE_ICONS[kind]} />
      <span>{children}</span>
    </p>
  );
}

/** What just happened, with a form to undo it. With JavaScript, it disappears automatically. */
export const Toast = ({ words, children }: { words: string; children: ComponentChildren }) => (
  <div class="toast" role="status">
    <span>{words}</span>
    {children}
  </div>
);

type EmptyProps = { icon: IconName; title: string; children: ComponentChildren };

/** An empty state: what belongs here, and the next step. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    <p>{children}</p>
  </div>
);

type FieldProps = {
  label: string;
  name: string;
  kind?: string | undefined;
  hint?: ComponentChildren;
  error?: string;
  children?: ComponentChildren;
} & Record<string, unknown>;

export function Field({ label, name, kind, hint, error, children, ...input }: FieldProps) {
  const describedBy = hint || error ? `${name}-told` : undefined;
  return (
    <div class={kind ? `field ${kind}` : 'field'}>
      <label for={name}>{label}</label>
      {children ?? (
        <input
          id={name}
          name={name}
          aria-describedby={describedBy}
          aria-invalid={error ? 'true' : undefined}
          {...input}
        />
      )}
      {describedBy && (
        <small id={describedBy} class={error ? 'bad' : undefined}>
          {error ?? hint}
        </small>
      )}
    </div>
  );
}

/** A secret that is shown only once, with a copy button. */
export const Secret = ({ text }: { text: string }) => (
  <div class="secret">
    <pre tabindex={0}>{text}</pre>
    <button type="button" class="second small" data-copy={text}>
      <Icon name="copy" /> Copy
    </button>
  </div>
);

type SelectProps = {
  name: string;
  options: readonly (readonly [value: string, words: string])[];
  given?: string | undefined;
} & Record<string, unknown>;

export function Select({ name, options, given, ...select }: SelectProps) {
  return (
    <select id={name} name={name} {...select}>
      {options.map(([value, words]) => (
        <option value={value} selected={value === given}>
          {words}
        </option>
      ))}
    </select>
  );
}

type FactsProps = {
  kind?: 'facts' | 'key' | 'figures' | 'filled';
  of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
};

/** Names and values. Omits null values. */
export function Facts({ kind = 'facts', of }: FactsProps) {
  return (
    <dl class={kind}>
      {of.map(
        ([name, value]) =>
          value !== null && (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

type StatProps = {
  name: ComponentChildren;
  value: string;
  /** The value's unit, basis, or certainty. */
  note?: ComponentChildren;
  kind?: string | undefined;
  /** Whether the figure has its own box. */
  card?: boolean;
};

export const Stat = ({ name, value, note, kind, card }: StatProps) => (
  <div class={card ? 'card stat' : 'stat'}>
    <dt>{name}</dt>
    <dd class={kind}>{value}</dd>
    {note && <dd class="note">{note}</dd>}
  </div>
);

/** A share as a bar, next to its number. */
export const Meter = ({ percent, low }: { percent: number; low?: boolean }) => (
  <svg class={low ? 'meter low' : 'meter'} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="8" />
    <rect class="value" width={percent} height="8" />
  </svg>
);

type SubmitProps = {
  label: ComponentChildren;
  does?: string | undefined;
  kind?: string | undefined;
  /** Whether the page that the form leads to opens as a dialog. */
  dialog?: boolean | undefined;
};

/** A form's submit button. `does` is sent as the `do` field, to show which button was pressed. */
export const Submit = ({ label, does, kind, dialog }: SubmitProps) => (
  <button type="submit" name={does && 'do'} value={does} class={kind} data-dialog={dialog}>
    {label}
  </button>
);

type LinkButtonProps = { to: string; words: ComponentChildren; icon?: IconName; kind?: string };

export const LinkButton = ({ to, words, icon, kind }: LinkButtonProps) => (
  <a class={kind ? `button ${kind}` : 'button'} href={to}>
    {icon && <Icon name={icon} />}
    {words}
  </a>
);

type IconProps = { words: string; icon: IconName } & Record<string, unknown>;

/** A button, or a link if it has an `href`, whose words are a tooltip. */
export function IconButton({ words, icon, ...rest }: IconProps) {
  const given = { 'aria-label': words, title: words, ...rest };
  const drawn = <Icon name={icon} />;
  return 'href' in rest ? (
    <a class="button second small only" {...given}>
      {drawn}
    </a>
  ) : (
    <button type="submit" class="second small only" {...given}>
      {drawn}
    </button>
  );
}

type ActProps = SubmitProps & { does: string; kind: string; id: string };

export function Act({ id, ...button }: ActProps) {
  return (
    <form method="post">
      <input type="hidden" name="id" value={id} />
      <Submit {...button} />
    </form>
  );
}

/** Matches numbers, including $, %, and minus signs, and the placeholder for a missing number. */
const FIGURE = /^(–|[-$]?[\d,]+(\.\d+)?%?)?$/;
/** Longer text is wrapped. */
const LONG_TEXT = 40;

/** A column head that sorts. `sort` is the current order. */
export type SortHead = { label: string; href: string; sort: 'ascending' | 'descending' | undefined };

/** Also true for numbers with bars. */
const isFigure = (cell: string | VNode) =>
  typeof cell === 'string' ? FIGURE.test(cell) : (cell.props as { class?: string }).class === 'rate';

type GridProps = {
  name: string;
  heads: (string | VNode | SortHead)[];
  rows: (string | VNode)[][];
  /** The totals row. */
  foot?: (string | VNode)[] | undefined;
  /** On phones, each row is a card that repeats the column heads. */
  cards?: boolean;
};

/** A table that scrolls sideways if needed. Columns of numbers are right-aligned. */
export function Grid({ name, heads, rows: lines, foot, cards }: GridProps) {
  const isFigures = heads.map((_, i) => lines.every(line => isFigure(line[i]!)));
  const kindOf = (cell: string | VNode, i: number) =>
    isFigures[i] ? 'n' : typeof cell === 'string' && cell.length > LONG_TEXT ? 'text' : undefined;
  return (
    <div class="scroll" role="group" tabindex={0} aria-label={name}>
      <table class={cards ? 'cards-phone' : undefined}>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <Head head={head} kind={isFigures[i] ? 'n' : undefined} />
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <tr>
              {line.map((cell, i) => (
                <td class={kindOf(cell, i)} data-name={cards && i > 0 ? heads[i] : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot>
            <tr>
              {foot.map((cell, i) => (
                <td class={kindOf(cell, i)}>{cell}</td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function Head({ head, kind }: { head: string | VNode | SortHead; kind: string | undefined }) {
  if (typeof head === 'string' || !('href' in head))
    return <th class={kind}>{head || <span class="unseen">Action</span>}</th>;
  const { label, href, sort } = head;
  return (
    <th class={kind} aria-sort={sort}>
      <a href={href}>
        {label}
        {sort && <Icon name={sort === 'descending' ? 'arrow-down' : 'arrow-up'} />}
      </a>
    </th>
  );
}

type ComparisonProps = {
  name?: string;
  kind?: string;
  heads: string[];
  rows: [label: string, ...figures: string[]][];
};

/** Compares several things side by side, with one kind of number per row. */
export function Comparison({ name, kind, heads, rows: lines }: ComparisonProps) {
  return (
    <div class="scroll" role="group" tabindex={0} aria-label={name}>
      <table class={kind}>
        <thead>
          <tr>
            <td />
            {heads.map(head => (
              <th class="n">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([label, ...figures]) => (
            <tr>
              <th>{label}</th>
              {figures.map(figure => (
                <td class="n">{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
