/** Theme of the app: dark, light or the system's. It is stored in this browser. */

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'sparks.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

let chosen = $state<Theme>(kept());

function kept(): Theme {
  const text = localStorage.getItem(KEY);
  return text === 'light' || text === 'dark' ? text : 'system';
}

function apply(): void {
  document.documentElement.dataset['theme'] = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen;
}

export const theme = {
  get chosen(): Theme {
    return chosen;
  },
  choose(wanted: Theme): void {
    chosen = wanted;
    if (wanted === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, wanted);
    apply();
  },
};

dark.addEventListener('change', apply);
apply();
