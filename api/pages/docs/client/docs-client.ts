// The reference of the API: draws it, in the theme of the page, and authorizes it with a new key.

type SwaggerUi = { preauthorizeApiKey(scheme: string, key: string): void };
declare const SwaggerUIBundle: (options: object) => SwaggerUi;

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Swagger UI's own sheet goes by a class, ours by the system unless somebody chose. */
function applyTheme(): void {
  const { dataset, classList } = document.documentElement;
  const dark = dataset.theme === undefined ? systemDark.matches : dataset.theme === 'dark';
  classList.toggle('dark-mode', dark);
}
/** In place of Swagger UI's own, which put links into buttons, and a field without a name. */
const COMPONENTS = {
  DeepLink: ({ text }: { text: unknown }) => text,
  // There is one server: this one.
  ServersContainer: () => null,
};

systemDark.addEventListener('change', applyTheme);
applyTheme();

/** Swagger UI leaves fields without a name, and boxes that scroll to those with a mouse. */
function mendBody(): void {
  for (const field of document.querySelectorAll('#docs .examples-select-element:not([aria-label])'))
    field.setAttribute('aria-label', 'Example');
  for (const field of document.querySelectorAll('#docs :is(select, textarea):not([aria-label])'))
    field.setAttribute('aria-label', field.closest('tr')?.dataset.paramName ?? 'Request body');
  for (const box of document.querySelectorAll('#docs pre.microlight:not([tabindex])'))
    box.setAttribute('tabindex', '0');
}

// Its script stands after this one.
document.addEventListener('DOMContentLoaded', () => {
  const ui = SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#docs',
    deepLinking: true,
    plugins: [{ components: COMPONENTS }],
    // Its colors cannot be read on a light ground.
    syntaxHighlight: { activated: false },
    // Else a server of its makers is asked to validate the document.
    validatorUrl: null,
    onComplete() {
      document.getElementById('docs')!.dataset.ready = 'true';
    },
  });
  const drawn = new MutationObserver(mendBody);
  drawn.observe(document.getElementById('docs')!, { childList: true, subtree: true });
  const form = document.querySelector<HTMLFormElement>('#try');
  if (form === null) return;
  form.hidden = false;
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const told = document.getElementById('tried')!;
    const response = await fetch(form.action, { method: 'POST' }).catch(() => undefined);
    const answer = await response?.json().catch(() => undefined);
    if (!response?.ok || answer === undefined) {
      told.textContent = answer?.error.message ?? 'No key was made: the server cannot be reached. Try again.';
      return;
    }
    ui.preauthorizeApiKey('apiKey', answer.key);
    const until = new Date(answer.expires_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    told.textContent = `A key “docs” is made and works until ${until}: every call below is made with it. Revoke it under Account.`;
  });
});
