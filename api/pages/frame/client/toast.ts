/** Long enough to read a toast and reach its button. */
const SHOWN_MS = 10_000;
/** For a toast without a button. */
const SHORT_MS = 3_000;

/** Removes a toast after a while, unless it has the pointer or the focus. */
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

/** What a toast offers: to undo what happened, or to open what changed. */
type Offers = { undo?: () => void; link?: string };

/** Without changing the page, shows what happened. */
export function say(words: string, { undo, link }: Offers = {}): void {
  document.querySelector('.toast')?.remove();
  const toast = document.createElement('div');
  toast.className = 'toast';
  toast.setAttribute('role', 'status');
  // A dialog covers the rest of the page.
  (document.querySelector('dialog[open]') ?? document.body).append(toast);
  // Screen readers announce a status only if its text changes after it has been added.
  requestAnimationFrame(() => {
    toast.textContent = words;
    if (link !== undefined) {
      const view = document.createElement('a');
      view.href = link;
      view.textContent = 'View';
      toast.append(view);
    }
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
  letGo(toast, undo === undefined && link === undefined ? SHORT_MS : SHOWN_MS);
}
