/** Months as the audit trail is kept by: `2026-11`, in UTC. */

export const monthOf = (time: Date): string => time.toISOString().slice(0, 7);

/** So many months later; earlier where that is negative. */
export function monthAfter(month: string, further: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + further);
  return monthOf(date);
}
