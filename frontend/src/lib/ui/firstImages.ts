/** Promise that settles once the first images have loaded. It settles, too, when the user does something, or when no
 * image comes for two seconds.
 */
const QUIET = 300; // milliseconds without another image
const LONGEST = 2000;
const DONE = ['pointerdown', 'keydown', 'dragenter'] as const;

export const firstImagesLoaded = new Promise<void>((begin) => {
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
