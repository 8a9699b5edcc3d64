/** Chips in words. */
import { date, monthName, t } from '../i18n/i18n.svelte';
import type { IconName } from '../ui/icons';
import type { Chip, ChipKind } from './filters';
import { names } from './names.svelte';
import { whenOf } from './times';

export const ICON_OF: Readonly<Record<ChipKind, IconName>> = {
  person: 'person',
  tag: 'tag',
  album: 'album',
  uploader: 'members',
  camera: 'camera',
  kind: 'photos',
  favorite: 'heart',
  when: 'clock',
  near: 'map',
};

export function labelOf(chip: Chip): string {
  switch (chip.kind) {
    case 'person':
      return names.of(chip)?.label || t('search.unnamed');
    case 'album':
      return names.of(chip)?.label ?? t('search.album');
    case 'uploader':
      return names.of(chip)?.label ?? chip.value;
    case 'kind':
      return t(chip.value === 'video' ? 'search.videos' : 'search.photos');
    case 'favorite':
      return t(chip.value === 'true' ? 'search.favourites' : 'search.notFavourites');
    case 'when':
      return timeInWords(chip.value);
    case 'near':
      return placeInWords(chip.value);
    default:
      return chip.value;
  }
}

function timeInWords(value: string): string {
  const when = whenOf(value);
  if ('year' in when) return String(when.year);
  if ('month' in when) return monthName(when.month);
  const [from, to] = [when.from && dayInWords(when.from), when.to && dayInWords(when.to)];
  if (from && to) return from === to ? from : `${from} – ${to}`;
  return from ? t('search.since', { day: from }) : t('search.until', { day: to ?? '' });
}

/** What is no day is shown as it was written. */
function dayInWords(day: string): string {
  const time = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? day : date(time, { dateStyle: 'medium', timeZone: 'UTC' });
}

function placeInWords(value: string): string {
  const [latitude = '', longitude = '', km = ''] = value.split(',');
  return t('search.near', { place: `${latitude}, ${longitude}`, km });
}
