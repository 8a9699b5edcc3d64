/** Where one is: the address of the page, as state. Links and the browser's buttons change it without a reload. */

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

let place = $state.raw(here());
/** Another query is no other path: a page that is asked for something else stays. */
const path = $derived(place.path);

export const router = {
  get path(): string {
    return path;
  },
  get query(): URLSearchParams {
    return place.query;
  },
  /** Another page, at its top; with `replace` the browser's back button does not come back to this one. */
  go(address: string, options: { replace?: boolean; keepScroll?: boolean } = {}): void {
    const { replace = false, keepScroll = false } = options;
    if (replace) history.replaceState(history.state, '', address);
    else history.pushState(null, '', address);
    place = here();
    if (!keepScroll) scrollTo(0, 0);
  },
  /** The same page with these words behind its `?`; null takes one away. */
  setQuery(changes: Readonly<Record<string, string | null>>, options: { replace?: boolean } = {}): void {
    const query = new URLSearchParams(place.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    router.go(place.path + (text && `?${text}`), { ...options, keepScroll: true });
  },
};

addEventListener('popstate', () => (place = here()));

/** Clicks on links of this app, as the browser would follow them, but without loading the page anew. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.defaultPrevented || !isPlain(event) || !isOurs(link)) return;
  event.preventDefault();
  const address = link.pathname + link.search;
  if (address !== location.pathname + location.search) router.go(address);
});

function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

function isOurs(link: HTMLAnchorElement): boolean {
  const other = link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin;
  return !other && !/^\/(api|media|blobs)\//.test(link.pathname);
}
