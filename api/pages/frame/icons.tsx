import { createElement } from 'preact';
import SHAPES from './icon-shapes.json' with { type: 'json' };

export type IconName = keyof typeof SHAPES;

/** Use an icon next to text, or inside an element with a label. */
export function Icon({ name, large }: { name: IconName; large?: boolean }) {
  return (
    <svg viewBox="0 0 24 24" class={large ? 'icon large' : 'icon'} aria-hidden="true">
      {SHAPES[name].map(([tag, attributes]) => createElement(tag as string, attributes as object))}
    </svg>
  );
}
