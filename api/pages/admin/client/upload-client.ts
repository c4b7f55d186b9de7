// Shows an upload's progress, or why the upload failed.

const form = document.querySelector<HTMLFormElement>('#upload');
const field = form?.querySelector<HTMLInputElement>('#file');
const bar = form?.querySelector('progress');
const maxMb = Number(form?.dataset.maxMb);

field?.addEventListener('change', () => {
  const bytes = field.files?.[0]?.size ?? 0;
  const isTooLarge = bytes > maxMb * 2 ** 20;
  field.setCustomValidity(isTooLarge ? `Choose a file of up to ${maxMb} MB.` : '');
  if (isTooLarge) field.reportValidity();
});

function showFault(words: string): void {
  const notice = document.createElement('p');
  notice.className = 'notice bad';
  notice.setAttribute('role', 'alert');
  notice.textContent = words;
  document.querySelector('#fault')?.replaceChildren(notice);
}

function faultOf({ status, responseText }: XMLHttpRequest): string {
  try {
    return JSON.parse(responseText).error.message;
  } catch {
    return `The upload was rejected (${status}). If a proxy is in front of Plat, allow larger requests there.`;
  }
}

form?.addEventListener('submit', event => {
  event.preventDefault();
  // `fetch` doesn't report how much has been sent.
  const request = new XMLHttpRequest();
  const button = form.querySelector('button')!;
  const stop = (words: string) => {
    showFault(words);
    button.disabled = false;
    bar!.hidden = true;
  };
  request.upload.onprogress = ({ loaded, total }) => {
    bar!.value = loaded / total;
  };
  // A redirect leads to the file's page, or to the sign-in page.
  request.onload = () =>
    request.status < 400 ? location.assign(request.responseURL) : stop(faultOf(request));
  request.onerror = () =>
    stop('The connection was lost before the file arrived. Check your network, then upload it again.');
  request.open('POST', form.action);
  request.send(new FormData(form));
  button.disabled = true;
  bar!.hidden = false;
});

export {};
