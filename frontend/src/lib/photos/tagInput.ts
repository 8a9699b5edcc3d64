/** Parsing of typed tags, and the tags used last. Tags are separated by commas, each once without regard to case. */

const KEY = 'sparks.tags';
const MOST = 20;

/** Tags followed by the typed ones. */
export function parseTags(tags: readonly string[], typed: string): string[] {
  const all = [...tags, ...typed.split(',')].map((tag) => tag.trim()).filter(Boolean);
  const seen = new Set<string>();
  return all.filter((tag) => !seen.has(tag.toLowerCase()) && seen.add(tag.toLowerCase()));
}

export function recentTags(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return []; // unreadable: nothing is offered
  }
}

export function saveRecentTags(tags: readonly string[]): void {
  localStorage.setItem(KEY, JSON.stringify(parseTags([...tags, ...recentTags()], '').slice(0, MOST)));
}
