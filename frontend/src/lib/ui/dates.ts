/** Dates: the photographer's wall clock, UTC months, days from now. */

const WALL = 19; // characters of `2024-05-01T12:30:00`

/** Time that the photographer's clock showed, as a `datetime-local` field takes it. */
export function toWallClock(takenAt: string, offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const ahead = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  return new Date(new Date(takenAt).getTime() + ahead * 60_000).toISOString().slice(0, WALL);
}

/** Time for the server from such a field; UTC if the offset is unknown. */
export function fromWallClock(wall: string, offset: string): string {
  const whole = wall.length < WALL ? `${wall}:00` : wall.slice(0, WALL);
  return whole + (offset || 'Z');
}

/** Time so many days from now, as the API takes it; undefined for 0. */
const DAY = 86_400_000;

export function daysFromNow(days: number, now: number = Date.now()): string | undefined {
  return days ? new Date(now + days * DAY).toISOString() : undefined;
}

/** Arithmetic with months such as 2026-11, in UTC. */
export const utcMonthOf = (time: Date): string => time.toISOString().slice(0, 7);

/** The month so many months later; earlier if the number is negative. */
export function addMonths(month: string, further: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + further);
  return utcMonthOf(date);
}
