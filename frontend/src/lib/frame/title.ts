/** The name of the page in the browser's tab. */
export function titled(name: string): void {
  document.title = `${name} · Sparks`;
}
