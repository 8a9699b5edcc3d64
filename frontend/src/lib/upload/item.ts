/** One file on its way to Sparks, as this browser remembers it. */

export type Visibility = 'community' | 'private';

/** `sending` is also asking for a place and completing; `making` is the server's; `leaving` is given up, and unseen. */
export type State = 'waiting' | 'sending' | 'making' | 'done' | 'duplicate' | 'refused' | 'failed' | 'leaving';

/** What the uploader says of all files that they chose together. */
export interface Wish {
  readonly visibility: Visibility | null;
  readonly tags: readonly string[];
  /** The album that they come into. */
  readonly albumId: string | null;
}

export interface Item extends Wish {
  /** Of this browser's own making; a repeated request is known by it, too. */
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly type: string;
  /** Milliseconds, as the file system tells. */
  readonly modifiedAt: number;
  /** Its place in the queue. */
  readonly order: number;
  readonly state: State;
  readonly paused: boolean;
  /** What the server calls it, from its reservation on. */
  readonly imageId: string | null;
  /** It was asked to complete, and the answer may have been lost. */
  readonly isCompleting: boolean;
  /** The server has made a photo of it, whether it can be shown or not. */
  readonly isPhoto: boolean;
  /** Bytes that have gone. */
  readonly sent: number;
  /** The most of them that the server had at any time: only what goes beyond is a step forward. */
  readonly landed: number;
  /** How often it went wrong in a row. */
  readonly tries: number;
  /** Why it was refused or failed, in the server's words; UNREADABLE where the file itself is not there any more. */
  readonly reason: string | null;
  /** What the server calls that; null where it said nothing. */
  readonly code: string | null;
}

export const UNREADABLE = 'unreadable';
export const NOTHING_SAID: Wish = { visibility: null, tags: [], albumId: null };

/** Random, and there without TLS too, where `crypto.randomUUID` is not. */
function newId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function newItem(file: File, wish: Wish, order: number): Item {
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

const ENDED: readonly State[] = ['done', 'duplicate', 'refused', 'failed'];
const ARRIVED: readonly State[] = ['making', 'done', 'duplicate'];

/** Nothing more happens to it by itself. */
export const hasEnded = (item: Item): boolean => ENDED.includes(item.state);

/** Its bytes are with the server. */
export const hasArrived = (item: Item): boolean => ARRIVED.includes(item.state);

/** Its bytes have still to go, sooner or later. */
export const isToSend = (item: Item): boolean => item.state === 'waiting' || item.state === 'sending';

/** Its reservation, where it has one, is still to become a photo. */
export const isUnfinished = (item: Item): boolean => isToSend(item) || (item.state === 'failed' && !item.isPhoto);
