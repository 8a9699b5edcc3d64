/** An action: runs something whenever its element comes into sight, or is about to by so much (a margin, as in CSS). */
interface Wish {
  readonly run: () => void;
  readonly before?: string;
}

export function nearlySeen(mark: HTMLElement, { run, before = '0px' }: Wish): { destroy: () => void } {
  const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && run(), { rootMargin: before });
  watch.observe(mark);
  return { destroy: () => watch.disconnect() };
}
