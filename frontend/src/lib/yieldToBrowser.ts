/** Pause between pieces of work, in which the browser can draw and handle input. */
export const yieldToBrowser = (): Promise<void> => new Promise((go) => setTimeout(go));
