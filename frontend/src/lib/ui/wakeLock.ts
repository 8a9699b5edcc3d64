/** Keeps the screen on, if the browser can, until the returned function is called. */
export function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | null = null;
  let isOver = false;

  /** The lock is lost when the page is hidden, and may be refused when the battery is low. */
  async function ask() {
    if (!('wakeLock' in navigator) || document.visibilityState !== 'visible') return;
    const given = await navigator.wakeLock.request('screen').catch(() => null);
    if (isOver) void given?.release();
    else lock = given;
  }

  void ask();
  document.addEventListener('visibilitychange', ask);
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', ask);
    void lock?.release();
  };
}
