/** What can wait for the first pictures of a page: it begins when they are there, or somebody does something, or it is
 * clear that none will come.
 */
const QUIET = 300; // milliseconds in which no other picture has come
const LONGEST = 2000;
const DONE = ['pointerdown', 'keydown', 'dragenter'] as const;

export const calm = new Promise<void>((begin) => {
  const ending = new AbortController();
  const listening = { capture: true, passive: true, signal: ending.signal };
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    ending.abort();
    clearTimeout(quiet);
    begin();
  };
  const wait = ({ target }: Event) => {
    if (!(target instanceof HTMLImageElement)) return;
    clearTimeout(quiet);
    quiet = setTimeout(end, QUIET);
  };
  addEventListener('load', wait, listening);
  for (const kind of DONE) addEventListener(kind, end, listening);
  setTimeout(end, LONGEST);
});
