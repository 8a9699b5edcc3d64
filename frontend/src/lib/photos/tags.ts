/** Tags as they are typed: separated by commas, each once whatever its case. The last ones are kept to be offered again. */

const KEY = 'sparks.tags';
const MOST = 20;

/** These tags and what was typed behind them. */
export function withTyped(tags: readonly string[], typed: string): string[] {
  const all = [...tags, ...typed.split(',')].map((tag) => tag.trim()).filter(Boolean);
  const seen = new Set<string>();
  return all.filter((tag) => !seen.has(tag.toLowerCase()) && seen.add(tag.toLowerCase()));
}

export function recentTags(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return []; // somebody else wrote there: nothing is offered
  }
}

export function keepTags(tags: readonly string[]): void {
  localStorage.setItem(KEY, JSON.stringify(withTyped([...tags, ...recentTags()], '').slice(0, MOST)));
}
