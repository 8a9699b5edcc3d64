/** Store of all members, with their names by address. */
import { api, unwrap } from '../api/client';
import type { User } from '../api/types';

let all = $state.raw<readonly User[]>([]);
let loading: Promise<void> | null = null;

async function load(): Promise<void> {
  const found: User[] = [];
  let cursor: string | undefined;
  do {
    const page = await unwrap(api.GET('/api/users', { params: { query: { limit: 500, ...(cursor && { cursor }) } } }));
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
  /** Their name; until it is known, the part of the address before the @. */
  nameOf: (email: string): string => members.find(email)?.username ?? email.split('@')[0] ?? email,
};

const asked = new Map<string, Promise<string>>();

/** Name of a member, requested once; the address if there is no such account any more. */
export function fetchMemberName(email: string): Promise<string> {
  const known = asked.get(email);
  if (known) return known;
  const name = unwrap(api.GET('/api/users/{email}', { params: { path: { email } } })).then(
    ({ username }) => username,
    () => email,
  );
  asked.set(email, name);
  return name;
}
