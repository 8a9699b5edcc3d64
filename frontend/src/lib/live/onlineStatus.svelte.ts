/** State of the browser's network: online or offline. */

let online = $state(navigator.onLine);

addEventListener('online', () => (online = true));
addEventListener('offline', () => (online = false));

export const onlineStatus = {
  get online(): boolean {
    return online;
  },
};
