/** People of an album, as one says who they are. */
import type { Person } from '../api/shapes';
import { i18n, t } from '../i18n/i18n.svelte';
import { writer } from '../i18n/writers';

export const personNamed = (person: Person | undefined): string =>
  person?.named ? person.displayName : t('albums.unnamed');

/** As “Ada and Ben”. */
export function peopleNamed(ids: readonly string[], people: readonly Person[]): string {
  const names = ids.map((id) => personNamed(people.find(({ personId }) => personId === id)));
  return writer(Intl.ListFormat, i18n.locale).format(names);
}
