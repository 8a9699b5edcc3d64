/** The page below what covers it: it does not scroll, and neither keys nor screen readers reach it. */

/** All that comes before the element beside it, until what is returned is called. What comes after stays: toasts. */
export function holdBeneath(element: HTMLElement): () => void {
  const { style, clientWidth } = document.documentElement;
  const before = [...(element.parentElement?.children ?? [])].filter(
    (other): other is HTMLElement =>
      other instanceof HTMLElement && (other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  const inert = before.filter((other) => !other.inert);
  for (const other of inert) other.inert = true;
  const scrollbar = innerWidth - clientWidth;
  style.overflow = 'hidden';
  style.paddingInlineEnd = scrollbar ? `${scrollbar}px` : '';
  return () => {
    for (const other of inert) other.inert = false;
    style.overflow = style.paddingInlineEnd = '';
  };
}

/** The tile of a photo on the page, if it is there. */
export const tileOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-photo="${CSS.escape(id)}"]`);
