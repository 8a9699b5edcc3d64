/** Copying a text, also on pages without TLS, where browsers have no clipboard. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const copied = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', copied);
  try {
    document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', copied);
  }
}
