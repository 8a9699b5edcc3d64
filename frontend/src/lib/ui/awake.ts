/** Keeps the screen on, where the browser can, until what is returned is called. */
export function stayAwake(): () => void {
  let lock: WakeLockSentinel | null = null;
  let isOver = false;

  /** It is lost whenever the page is hidden; a battery that is low may refuse it. */
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
