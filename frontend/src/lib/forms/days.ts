/** The time so many days from now, as the API takes it; none for 0. */
const DAY = 86_400_000;

export function inDays(days: number, now: number = Date.now()): string | undefined {
  return days ? new Date(now + days * DAY).toISOString() : undefined;
}
