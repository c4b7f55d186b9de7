/** A swatch of a color of the page, such as `q1`, or of a color as #rrggbb. */
export const ClassSwatch = ({ of }: { of: string }) =>
  of.startsWith('#') ? <Swatch color={of} /> : <i class={`swatch ${of}`} />;

/** The color of a class. An SVG, because the page's policy allows no inline styles. */
export const Swatch = ({ color }: { color: string }) => (
  <svg class="swatch of-class" viewBox="0 0 10 10" preserveAspectRatio="none" aria-hidden="true">
    <rect width="10" height="10" fill={color} />
  </svg>
);
