/** What members are called, asked for once each. */
import { api, told } from '../api/client';

const asked = new Map<string, Promise<string>>();

/** The address itself, of somebody who is not here any more. */
export function nameOfMember(email: string): Promise<string> {
  const known = asked.get(email);
  if (known) return known;
  const name = told(api.GET('/api/users/{email}', { params: { path: { email } } })).then(
    ({ username }) => username,
    () => email,
  );
  asked.set(email, name);
  return name;
}
