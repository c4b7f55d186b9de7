/** The color of a class. An SVG, because the page's policy allows no inline styles. */
export const Swatch = ({ color }: { color: string }) => (
  <svg class="swatch of-class" viewBox="0 0 10 10" aria-hidden="true">
    <rect width="10" height="10" fill={color} />
  </svg>
);
