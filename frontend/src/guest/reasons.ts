/** Why a file could not be taken, in the guest's words. */
import type { Key } from '$lib/i18n/i18n.svelte';
import { t } from '$lib/i18n/speech.svelte';
import type { Item } from '$lib/upload/item';
import { stateInWords } from '$lib/upload/words';

const REASONS: Readonly<Record<string, Key>> = {
  UNSUPPORTED_TYPE: 'guest.wrongType',
  TOO_LARGE: 'guest.tooLarge',
  NOT_ALLOWED: 'guest.notAllowed',
  DAMAGED: 'guest.damaged',
};

export function reasonInWords(item: Item, isOver: boolean): string {
  const known = REASONS[item.code ?? ''];
  return known && (item.state === 'refused' || item.state === 'failed') ? t(known) : stateInWords(item, isOver);
}
