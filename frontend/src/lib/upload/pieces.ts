/** A large file goes in pieces, some at once: what has arrived of it need not go again. */
import { bytesOf, missingPieces, piecesOf, type Piece } from './parts';
import type { Address, PartAddress } from './transport';
import { land, type Trip } from './trip';

const PIECES_AT_ONCE = 3;
const SIGNED_AT_ONCE = 12;

export async function sendPieces(
  trip: Trip,
  imageId: string,
  partSize: number,
  arrived: readonly number[],
): Promise<void> {
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
