/** The queue in words. */
import { speech, t } from '../i18n/speech.svelte';
import { writer } from '../i18n/writers';
import { UNREADABLE, type Item } from './item';
import type { Progress } from './snapshot';

export function headline({ phase, at, total, arrived, making, failed }: Progress): string {
  switch (phase) {
    case 'sending':
      return t('upload.sending', { at, total });
    case 'paused':
      return t('upload.paused', { at, total });
    case 'making':
      return t('upload.making', { n: making });
    case 'over':
      return t('upload.overTitle');
    default:
      return failed ? t('upload.endedBadly', { n: failed }) : t('upload.ended', { n: arrived });
  }
}

export function timeLeft(seconds: number): string {
  if (seconds < 60) return t('upload.soon');
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? t('upload.minutes', { n: minutes }) : t('upload.hours', { n: Math.round(minutes / 60) });
}

export function stateInWords(item: Item, isOver: boolean): string {
  switch (item.state) {
    case 'refused':
    case 'failed':
      return item.reason === UNREADABLE ? t('upload.state.unreadable') : (item.reason ?? t('upload.state.failed'));
    case 'sending':
      return t('upload.state.sending', { percent: percent(item.size ? item.sent / item.size : 0) });
    case 'leaving':
      return '';
    case 'waiting':
      if (isOver) return t('upload.state.over');
      return item.paused ? t('upload.state.paused') : t('upload.state.waiting');
    default:
      return t(`upload.state.${item.state}`);
  }
}

const percent = (share: number): string =>
  writer(Intl.NumberFormat, speech.locale, { style: 'percent', maximumFractionDigits: 0 }).format(Math.min(1, share));
