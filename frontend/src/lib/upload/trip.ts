/** The trip of one file: a place is reserved, the bytes go there, and it is completed. Each step is written down before
 * the next, so that the trip goes on from there after a break, and ends in one photo whatever is repeated.
 */
import { ApiError } from '../api/errors';
import { hex, type Item } from './item';
import type { Lanes } from './lanes';
import { bytesOf, missingPieces, piecesOf, type Piece } from './parts';
import { Unreadable } from './patience';
import type { Address, PartAddress, Receipt, Ticket, Transport } from './transport';

const PIECES_AT_ONCE = 3;
const SIGNED_AT_ONCE = 12;
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
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    await trip.note({ imageId: null, isCompleting: false, sent: 0 });
    return reserve(trip);
  }
}

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
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
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
  if (partSize) return sendPieces(trip, ticket.imageId, partSize, arrived);
  const address: Address = { url: url ?? '', method: method ?? 'PUT', headers: headers ?? {} };
  await trip.note({ sent: 0 });
  await trip.lanes.take(async () => {
    trip.signal.throwIfAborted();
    return trip.transport.send(address, trip.file, trip.progress, trip.signal);
  });
  await land(trip, trip.file.size);
}

/** The server has so many bytes: what went wrong before that does not count any more. */
async function land(trip: Trip, landed: number): Promise<void> {
  if (landed > trip.item().landed) await trip.note({ landed, tries: 0 });
}

async function sendPieces(trip: Trip, imageId: string, partSize: number, arrived: readonly number[]): Promise<void> {
  const { size } = trip.file;
  const missing = missingPieces(size, partSize, arrived);
  const there = bytesOf(piecesOf(size, partSize)) - bytesOf(missing);
  const tally = new Map<number, number>();
  const addresses = new Addresses(missing, (numbers) => trip.transport.signParts(imageId, numbers));
  const ending = new AbortController();
  const { signal } = ending;
  const stop = () => ending.abort(trip.signal.reason);
  trip.signal.addEventListener('abort', stop);
  await trip.note({ sent: there });
  let landed = there;

  async function sendNext(): Promise<void> {
    for (let piece = missing.shift(); piece; piece = missing.shift()) {
      const { number, start, end } = piece;
      await trip.lanes.take(async () => {
        trip.signal.throwIfAborted();
        signal.throwIfAborted();
        const address = await addresses.of(number);
        await trip.transport.send(address, trip.file.slice(start, end), (sent) => count(number, sent), signal);
        count(number, end - start);
        await land(trip, (landed += end - start));
      });
    }
  }
  function count(number: number, sent: number): void {
    tally.set(number, sent);
    trip.progress([...tally.values()].reduce((sum, each) => sum + each, there));
  }

  const workers = Array.from({ length: PIECES_AT_ONCE }, sendNext);
  try {
    await Promise.all(workers);
  } finally {
    ending.abort(); // where one fails, the others are not left to send on
    trip.signal.removeEventListener('abort', stop);
    await Promise.allSettled(workers);
  }
}

/** Asked for some at a time: they are good for an hour, and a large file may take longer. */
class Addresses {
  readonly #wanted: number[];
  readonly #sign: (numbers: readonly number[]) => Promise<PartAddress[]>;
  readonly #known = new Map<number, PartAddress>();
  #signing: Promise<void> = Promise.resolve();

  constructor(pieces: readonly Piece[], sign: (numbers: readonly number[]) => Promise<PartAddress[]>) {
    this.#wanted = pieces.map((piece) => piece.number);
    this.#sign = sign;
  }

  async of(number: number): Promise<Address> {
    this.#signing = this.#signing.then(() => this.#more(number));
    await this.#signing;
    const address = this.#known.get(number);
    if (!address) throw new Error(`the server gave no address for part ${number}`);
    return address;
  }

  async #more(number: number): Promise<void> {
    if (this.#known.has(number)) return;
    const from = this.#wanted.indexOf(number);
    for (const part of await this.#sign(this.#wanted.slice(from, from + SIGNED_AT_ONCE)))
      this.#known.set(part.partNumber, part);
  }
}
