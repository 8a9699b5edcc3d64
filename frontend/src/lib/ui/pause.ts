/** Between two pieces of work: whoever types or scrolls meanwhile is served, and what is done so far is drawn. */
export const pause = (): Promise<void> => new Promise((go) => setTimeout(go));
