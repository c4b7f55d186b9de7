// Renders the API reference in the page's theme and authorizes it with a new key.

type Component = (props: object) => unknown;
type System = {
  React: { createElement(type: unknown, props: object | null, ...children: unknown[]): unknown };
};
type SwaggerUi = { preauthorizeApiKey(scheme: string, key: string): void };
declare const SwaggerUIBundle: (options: object) => SwaggerUi;

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Swagger UI switches themes by class. Plat follows the system unless the user chose a theme. */
function applyTheme(): void {
  const { dataset, classList } = document.documentElement;
  const dark = dataset.theme === undefined ? systemDark.matches : dataset.theme === 'dark';
  classList.toggle('dark-mode', dark);
}
/** Replaces Swagger UI components that put links in buttons and have unlabeled fields. */
const COMPONENTS = {
  DeepLink: ({ text }: { text: unknown }) => text,
  // This is the only server.
  ServersContainer: () => null,
};
/** Swagger UI has headings of levels 1 and 3. This adds one between them, for screen readers. */
const WRAPPED = {
  operations:
    (Operations: Component, { React: { createElement } }: System): Component =>
    props =>
      createElement(
        'div',
        null,
        createElement('h2', { className: 'unseen' }, 'Endpoints'),
        createElement(Operations, props),
      ),
};

systemDark.addEventListener('change', applyTheme);
applyTheme();

/** Labels Swagger UI's unnamed fields, lets keyboards reach its scrolling boxes, and fixes its landmarks. */
function fixAccessibility(): void {
  for (const field of document.querySelectorAll('#docs .examples-select-element:not([aria-label])'))
    field.setAttribute('aria-label', 'Example');
  for (const field of document.querySelectorAll('#docs :is(select, textarea):not([aria-label])'))
    field.setAttribute('aria-label', field.closest('tr')?.dataset.paramName ?? 'Request body');
  for (const box of document.querySelectorAll('#docs pre.microlight:not([tabindex])'))
    box.setAttribute('tabindex', '0');
  // The page has its own main landmark.
  document.querySelector('#docs main:not([role])')?.setAttribute('role', 'group');
}

// Swagger UI's script loads after this one.
document.addEventListener('DOMContentLoaded', () => {
  const ui = SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#docs',
    deepLinking: true,
    plugins: [{ components: COMPONENTS, wrapComponents: WRAPPED }],
    // The highlighter's colors are unreadable on a light background.
    syntaxHighlight: { activated: false },
    // Otherwise, Swagger UI sends the document to an external validator.
    validatorUrl: null,
    onComplete() {
      document.getElementById('docs')!.dataset.ready = 'true';
    },
  });
  const drawn = new MutationObserver(fixAccessibility);
  drawn.observe(document.getElementById('docs')!, { childList: true, subtree: true });
  const form = document.querySelector<HTMLFormElement>('#try');
  if (form === null) return;
  form.hidden = false;
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const status = document.getElementById('tried')!;
    const response = await fetch(form.action, { method: 'POST' }).catch(() => undefined);
    const answer = await response?.json().catch(() => undefined);
    if (!response?.ok || answer === undefined) {
      status.textContent =
        answer?.error.message ?? "Couldn't reach the server. No key was created. Try again.";
      return;
    }
    ui.preauthorizeApiKey('apiKey', answer.key);
    const until = new Date(answer.expires_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    status.textContent = `Key “docs” created. The calls below use it until ${until}. You can revoke it in Account.`;
  });
});
