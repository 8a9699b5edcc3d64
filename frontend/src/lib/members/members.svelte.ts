/** Everyone who has an account: asked for once, and again when somebody unknown turns up. */
import { api, told } from '../api/client';
import type { User } from '../api/shapes';

let all = $state.raw<readonly User[]>([]);
let loading: Promise<void> | null = null;

async function load(): Promise<void> {
  const found: User[] = [];
  let cursor: string | undefined;
  do {
    const page = await told(api.GET('/api/users', { params: { query: { limit: 500, ...(cursor && { cursor }) } } }));
    found.push(...page.users);
    cursor = page.lastEvaluatedKey ?? undefined;
  } while (cursor);
  all = found.sort((a, b) => a.username.localeCompare(b.username));
}

export const members = {
  get all(): readonly User[] {
    return all;
  },
  load: (): Promise<void> => (loading ??= load().finally(() => (loading = null))),
  find: (email: string): User | undefined => all.find((each) => each.email === email),
  /** Their name or, until that is known, what stands before the @. */
  nameOf: (email: string): string => members.find(email)?.username ?? email.split('@')[0] ?? email,
};
