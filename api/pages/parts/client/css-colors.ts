export function colorOf(variable: string): string {
  // On an element of its own: with the body's the whole page would be styled anew, once a color.
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(--${variable})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
