/** Long enough to read it and to reach its button. */
const SHOWN_MS = 10_000;
/** Of one without a button. */
const SHORT_MS = 3_000;

/** Takes a toast away after a while, in which nobody has pointed at it or is in it. */
export function letGo(toast: HTMLElement, ms: number = SHOWN_MS): void {
  let due: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(due);
    due = setTimeout(() => toast.remove(), ms);
  };
  const hold = () => clearTimeout(due);
  for (const event of ['mouseenter', 'focusin']) toast.addEventListener(event, hold);
  for (const event of ['mouseleave', 'focusout']) toast.addEventListener(event, wait);
  wait();
}

/** Says what was done where the page does not change; `undo` takes it back. */
export function say(words: string, undo?: () => void): void {
  document.querySelector('.toast')?.remove();
  const toast = document.createElement('div');
  toast.className = 'toast';
  toast.setAttribute('role', 'status');
  document.body.append(toast);
  // Readers tell what changes in a status, not one that comes with its text.
  requestAnimationFrame(() => {
    toast.textContent = words;
    if (undo === undefined) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'second small';
    button.textContent = 'Undo';
    button.addEventListener('click', () => {
      toast.remove();
      undo();
    });
    toast.append(button);
  });
  letGo(toast, undo === undefined ? SHORT_MS : SHOWN_MS);
}
