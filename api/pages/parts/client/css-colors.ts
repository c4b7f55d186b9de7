/** @param variable a CSS variable, or a color as #rrggbb */
export function colorOf(variable: string): string {
  if (variable.startsWith('#')) return variable;
  // Uses its own element, because changing the body would restyle the whole page for each color.
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(--${variable})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
