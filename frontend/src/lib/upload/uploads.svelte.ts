/** The uploads of this browser. */

export const uploads = {
  choose(): void {},
};
