/** The trip of one file: a place is reserved, the bytes go there, and it is completed. Each step is written down before
 * the next, so that the trip goes on from there after a break, and ends in one photo whatever is repeated.
 */
import { cut } from '../api/client';
import { ApiError } from '../api/errors';
import { hex, type Item } from './item';
import type { Lanes } from './lanes';
import { Unreadable } from './patience';
import type { Address, Receipt, Ticket, Transport } from './transport';

const HASHED_AT_MOST = 16 * 1024 * 1024; // all of a file is in memory for it

export interface Trip {
  item: () => Item;
  readonly file: File;
  readonly transport: Transport;
  readonly lanes: Lanes;
  /** The trip ends with it where it may: between steps, and while bytes go. */
  readonly signal: AbortSignal;
  /** Written down once it is settled. */
  note(changes: Partial<Item>): Promise<void>;
  /** So many bytes have gone, of the whole file. */
  progress(sent: number): void;
  /** From here on it cannot be called back. */
  completing(): void;
}

/** Where a file stands: what is still to go, or what became of it. */
type Place = { receipt: Receipt } | { ticket: Ticket; arrived: readonly number[] | 'all' };

export async function travel(trip: Trip): Promise<Receipt> {
  await checkReadable(trip.file);
  const before = trip.item().isCompleting ? await completedBefore(trip) : null;
  if (before) return before;
  const place = trip.item().imageId ? await resume(trip) : await reserve(trip);
  if ('receipt' in place) return place.receipt;
  trip.signal.throwIfAborted();
  if (place.arrived !== 'all') await send(trip, place.ticket, place.arrived);
  trip.signal.throwIfAborted();
  return complete(trip, place.ticket.imageId);
}

async function checkReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Unreadable();
  }
}

async function reserve(trip: Trip): Promise<Place> {
  const { id, name, size, type, modifiedAt, visibility, tags, albumId } = trip.item();
  const sha256 = await hashOf(trip.file);
  const wish = {
    filename: name,
    size,
    modifiedAt: new Date(modifiedAt).toISOString(),
    tags: [...tags],
    ...(type && { mimeType: type }),
    ...(visibility && { visibility }),
    ...(albumId && { albumId }),
    ...(sha256 && { sha256 }),
  };
  const answer = await trip.transport.reserve(wish, `${id} reserve`);
  if ('isDuplicate' in answer) return { receipt: answer };
  await trip.note({ imageId: answer.imageId, sent: 0 });
  return { ticket: answer, arrived: [] };
}

async function resume(trip: Trip): Promise<Place> {
  const imageId = trip.item().imageId ?? '';
  try {
    const { completed, arrived, arrivedParts, ticket } = await trip.transport.read(imageId);
    if (completed || !ticket) return { receipt: { imageId, isDuplicate: false } };
    return { ticket, arrived: arrived ? 'all' : (arrivedParts ?? []) };
  } catch (error) {
    if (!isNotOurs(error)) throw error;
    await trip.note({ imageId: null, isCompleting: false, sent: 0 });
    return reserve(trip);
  }
}

/** The place is gone, or was somebody else's: a guest who came again by the same link is another one. */
const isNotOurs = (error: unknown): boolean => error instanceof ApiError && [403, 404].includes(error.status);

async function complete(trip: Trip, imageId: string): Promise<Receipt> {
  trip.completing();
  await trip.note({ isCompleting: true, sent: trip.item().size });
  return trip.transport.complete(imageId, trip.item().id);
}

/** The answer that was lost, asked for again; null where there is more to do. */
async function completedBefore(trip: Trip): Promise<Receipt | null> {
  const { imageId, id } = trip.item();
  try {
    return imageId ? await trip.transport.complete(imageId, id) : null;
  } catch (error) {
    if (!isNotOurs(error) && !(error instanceof ApiError && error.status === 409)) throw error;
    await trip.note({ isCompleting: false });
    return null;
  }
}

/** So that bytes that are there already need not go; undefined where it cannot be had at little cost. */
async function hashOf(file: File): Promise<string | undefined> {
  if (file.size > HASHED_AT_MOST || !('subtle' in crypto)) return undefined;
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())));
}

// -- Sending

async function send(trip: Trip, ticket: Ticket, arrived: readonly number[]): Promise<void> {
  const { partSize, url, method, headers } = ticket;
  if (partSize) {
    // Most files are small: what only large ones need is loaded with the first of them.
    const { sendPieces } = await import('./pieces').catch(cut);
    return sendPieces(trip, ticket.imageId, partSize, arrived);
  }
  const address: Address = { url: url ?? '', method: method ?? 'PUT', headers: headers ?? {} };
  await trip.note({ sent: 0 });
  await trip.lanes.take(async () => {
    trip.signal.throwIfAborted();
    return trip.transport.send(address, trip.file, trip.progress, trip.signal);
  });
  await land(trip, trip.file.size);
}

/** The server has so many bytes: what went wrong before that does not count any more. */
export async function land(trip: Trip, landed: number): Promise<void> {
  if (landed > trip.item().landed) await trip.note({ landed, tries: 0 });
}
