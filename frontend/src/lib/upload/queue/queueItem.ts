/** Item of the upload queue: one file and its state. */

export type Visibility = 'community' | 'private';

/** `sending` includes reserving and completing; `making` is processing on the server; `leaving` is being cancelled, and
 * hidden.
 */
export type ItemState = 'waiting' | 'sending' | 'making' | 'done' | 'duplicate' | 'refused' | 'failed' | 'leaving';

/** Options of files that were chosen together. */
export interface UploadOptions {
  readonly visibility: Visibility | null;
  readonly tags: readonly string[];
  /** Album that they are added to. */
  readonly albumId: string | null;
}

export interface QueueItem extends UploadOptions {
  /** Made by this browser; also the idempotency key of requests. */
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly type: string;
  /** Milliseconds, from the file system. */
  readonly modifiedAt: number;
  /** Position in the queue. */
  readonly order: number;
  readonly state: ItemState;
  readonly paused: boolean;
  /** Id on the server, once it is reserved. */
  readonly imageId: string | null;
  /** Completion was requested, and the response may be lost. */
  readonly isCompleting: boolean;
  /** The server has made a photo of it, even if that cannot be shown. */
  readonly isPhoto: boolean;
  /** Bytes sent. */
  readonly sent: number;
  /** Most bytes that the server ever had: only more than that is progress. */
  readonly landed: number;
  /** Failures in a row. */
  readonly tries: number;
  /** Reason of a refusal or failure, from the server; UNREADABLE if the file is gone. */
  readonly reason: string | null;
  /** Error code of the server; null if there is none. */
  readonly code: string | null;
}

export const UNREADABLE = 'unreadable';
export const DEFAULT_UPLOAD_OPTIONS: UploadOptions = { visibility: null, tags: [], albumId: null };

/** Random id; `crypto.randomUUID` is missing without TLS. */
function newId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function newQueueItem(file: File, wish: UploadOptions, order: number): QueueItem {
  return {
    ...wish,
    id: newId(),
    name: file.name,
    size: file.size,
    type: file.type,
    modifiedAt: file.lastModified,
    order,
    state: 'waiting',
    paused: false,
    imageId: null,
    isCompleting: false,
    isPhoto: false,
    sent: 0,
    landed: 0,
    tries: 0,
    reason: null,
    code: null,
  };
}

const ENDED: readonly ItemState[] = ['done', 'duplicate', 'refused', 'failed'];
const ARRIVED: readonly ItemState[] = ['making', 'done', 'duplicate'];

/** No more work is left. */
export const hasEnded = (item: QueueItem): boolean => ENDED.includes(item.state);

/** The server has the bytes. */
export const hasArrived = (item: QueueItem): boolean => ARRIVED.includes(item.state);

/** Bytes are still to be sent. */
export const isToSend = (item: QueueItem): boolean => item.state === 'waiting' || item.state === 'sending';

/** A reservation of it, if there is one, is no photo yet. */
export const isUnfinished = (item: QueueItem): boolean => isToSend(item) || (item.state === 'failed' && !item.isPhoto);
