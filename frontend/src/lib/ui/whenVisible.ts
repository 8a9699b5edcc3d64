/** Action that runs a function when an element is about to be visible. `before` is a CSS margin. */
interface WhenVisibleOptions {
  readonly run: () => void;
  readonly before?: string;
}

export function whenVisible(mark: HTMLElement, { run, before = '0px' }: WhenVisibleOptions): { destroy: () => void } {
  const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && run(), { rootMargin: before });
  watch.observe(mark);
  return { destroy: () => watch.disconnect() };
}
