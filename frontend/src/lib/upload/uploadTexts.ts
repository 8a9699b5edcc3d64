/** Texts of the upload queue: progress, time left and item states. */
import { translation, t, formatter } from '../i18n/translate.svelte';
import { UNREADABLE, type QueueItem } from './queue/queueItem';
import type { QueueProgress } from './queue/queueSnapshot';

export function progressTitle({ phase, at, total, arrived, making, failed }: QueueProgress): string {
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

export function timeLeftText(seconds: number): string {
  if (seconds < 60) return t('upload.soon');
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? t('upload.minutes', { n: minutes }) : t('upload.hours', { n: Math.round(minutes / 60) });
}

export function itemStateText(item: QueueItem, isOver: boolean): string {
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
  formatter(Intl.NumberFormat, translation.locale, { style: 'percent', maximumFractionDigits: 0 }).format(
    Math.min(1, share),
  );
