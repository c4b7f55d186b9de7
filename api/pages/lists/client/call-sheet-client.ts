// The call sheet. Tapping a number selects it, so that the outcome belongs to it.

document.addEventListener('click', event => {
  const link = (event.target as Element).closest('.phones a[href^="tel:"]');
  const radio = link?.closest('li')?.querySelector<HTMLInputElement>('[type="radio"]');
  if (radio) radio.checked = true;
});

export {};
