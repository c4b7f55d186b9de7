/** The style sheet's variable as a color that the map can read; light or dark as the page is. */
export function colorOf(variable: string): string {
  document.body.style.color = `var(--${variable})`;
  const { color } = getComputedStyle(document.body);
  document.body.style.removeProperty('color');
  return color;
}
