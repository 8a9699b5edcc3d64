/** Whether this browser has a network at all. */

let online = $state(navigator.onLine);

addEventListener('online', () => (online = true));
addEventListener('offline', () => (online = false));

export const connection = {
  get online(): boolean {
    return online;
  },
};
