/** The name of the page in the browser's tab, for an `$effect`: until it is left. */
const NAME = 'Sparks';

export function titled(name: string): () => void {
  document.title = `${name} · ${NAME}`;
  return () => (document.title = NAME);
}
