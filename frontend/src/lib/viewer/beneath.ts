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

const COVERED = 80; // pixels at the edges that bars may cover

/** The page follows the photo that is open, so that one is where it is when the viewer is closed. */
export function follow(id: string): void {
  const tile = tileOf(id);
  const { top, bottom } = tile?.getBoundingClientRect() ?? { top: COVERED, bottom: 0 };
  if (top < COVERED || bottom > innerHeight - COVERED) tile?.scrollIntoView({ block: 'center' });
}

/** The tile of a photo on the page, if it is there. */
export const tileOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-photo="${CSS.escape(id)}"]`);
