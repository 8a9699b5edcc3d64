/** When a photo was taken, by the photographer's clock. */

const WALL = 19; // characters of `2024-05-01T12:30:00`

/** What the clock showed, as a field for a date and a time has it. */
export function wallClock(takenAt: string, offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const ahead = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  return new Date(new Date(takenAt).getTime() + ahead * 60_000).toISOString().slice(0, WALL);
}

/** The other way round, for the server; where nobody knows the offset, the clock is taken for UTC. */
export function moment(wall: string, offset: string): string {
  const whole = wall.length < WALL ? `${wall}:00` : wall.slice(0, WALL);
  return whole + (offset || 'Z');
}
