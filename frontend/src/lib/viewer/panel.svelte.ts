/** Whether the panel beside the picture is open. A wide window remembers it; on a phone it covers much of the picture. */

const KEY = 'sparks.viewer.info';
const wide = matchMedia('(min-width: 700px)');

let isOpen = $state(wide.matches && localStorage.getItem(KEY) === 'open');

export const panel = {
  get isOpen(): boolean {
    return isOpen;
  },
  toggle(wanted = !isOpen): void {
    isOpen = wanted;
    if (!wide.matches) return;
    if (wanted) localStorage.setItem(KEY, 'open');
    else localStorage.removeItem(KEY);
  },
  /** The viewer is opened anew. */
  start(): void {
    isOpen = wide.matches && localStorage.getItem(KEY) === 'open';
  },
};
