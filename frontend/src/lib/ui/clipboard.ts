/** Copying to the clipboard, also over plain http, where browsers have no `navigator.clipboard`. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    if (!copyBySelection(text)) throw error;
  }
}

/** True if the browser copied. It copies a selection only: one that is within an open dialog, since the rest is inert. */
function copyBySelection(text: string): boolean {
  const copied = document.createElement('pre');
  copied.textContent = text;
  (document.querySelector('dialog:modal') ?? document.body).append(copied);
  getSelection()?.selectAllChildren(copied);
  try {
    return document.execCommand('copy');
  } finally {
    copied.remove();
  }
}
