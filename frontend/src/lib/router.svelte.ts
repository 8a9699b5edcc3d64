/** Router: address as state, navigation without reload, tab title. Links and the browser's buttons change it without a
 * reload.
 */

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

let place = $state.raw(here());
/** Changes only with the path: another query keeps the page. */
const path = $derived(place.path);

export const router = {
  get path(): string {
    return path;
  },
  get query(): URLSearchParams {
    return place.query;
  },
  /** Opens another page, scrolled to the top; with `replace` it takes the place of the current history entry. */
  go(address: string, options: { replace?: boolean; keepScroll?: boolean } = {}): void {
    const { replace = false, keepScroll = false } = options;
    if (replace) history.replaceState(history.state, '', address);
    else history.pushState(null, '', address);
    place = here();
    if (!keepScroll) scrollTo(0, 0);
  },
  /** Changes parameters of the query on the same page; null removes one. */
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

/** Follows links of this app without a reload. */
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

/** Sets the title of the browser tab. */
export function setPageTitle(name: string): void {
  document.title = `${name} · Sparks`;
}
