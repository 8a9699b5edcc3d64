/** Fake server and clock for tests of the upload queue. The server records its calls. */
import { ApiError, Unreachable } from '../../api/errors';
import type { Clock } from './clock';
import { partsOf } from './multipart';
import type { QuotaLeft } from './quota';
import type { NewUpload, UploadResult, UploadReservation, UploadTransport, UploadState } from './uploadTransport';

const PART = 10;
const IN_ONE_PIECE = 20;

interface Reservation {
  readonly name: string;
  readonly size: number;
  readonly sha256: string | null;
  readonly parts: Set<number>;
  arrived: boolean;
}

export function refusal(status: number, code: string, more: { body?: object; after?: number } = {}): ApiError {
  return new ApiError(status, code, `${code} happened`, null, { ...more.body }, more.after ?? null);
}

/** Takes files above IN_ONE_PIECE bytes in parts. `fail` makes the next calls of a kind, or about one thing, fail;
 * `hold` keeps transfers open until `release`.
 */
export class FakeServer implements UploadTransport {
  readonly log: string[] = [];
  readonly photos = new Map<string, string>();
  readonly reservations = new Map<string, Reservation>();
  readonly made = new Map<string, string>();
  room: QuotaLeft = { photos: 100, bytes: null };
  sending = 0;
  mostSending = 0;
  isCut = false;
  knowsHashes = true;
  #faults: { call: string; error: Error; isAfter: boolean }[] = [];
  #held: (() => void)[] | null = null;
  #answers = new Map<string, UploadResult>();
  #places = new Map<string, string>();
  #next = 0;

  /** `after`: the call succeeds, but its response is lost. */
  fail(call: string, error: Error, options: { times?: number; after?: boolean } = {}): void {
    for (let time = 0; time < (options.times ?? 1); time++)
      this.#faults.push({ call, error, isAfter: options.after ?? false });
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const go of held) go();
  }

  async askRoom(): Promise<QuotaLeft> {
    this.#reach();
    return this.room;
  }

  reserve(upload: NewUpload, key: string): Promise<UploadReservation | UploadResult> {
    return this.#call('reserve', upload.filename, async () => {
      const place = this.#places.get(key) ?? '';
      if (this.reservations.has(place)) return this.#ticket(place);
      const known = [...this.photos].find(([, name]) => name === upload.filename && this.knowsHashes);
      if (known) return { imageId: known[0], isDuplicate: true };
      if (this.room.photos < 1)
        throw refusal(403, 'UPLOAD_LIMIT_REACHED', { body: { photosLeft: 0, bytesLeft: null } });
      this.room = { ...this.room, photos: this.room.photos - 1 };
      const imageId = `image-${++this.#next}`;
      this.#places.set(key, imageId);
      const { filename: name, size, sha256 = null } = upload;
      this.reservations.set(imageId, { name, size, sha256, parts: new Set(), arrived: false });
      return this.#ticket(imageId);
    });
  }

  read(imageId: string): Promise<UploadState> {
    return this.#call('read', imageId, async () => {
      if (this.photos.has(imageId)) return { imageId, completed: true };
      const held = this.#reservation(imageId);
      const isWhole = held.size <= IN_ONE_PIECE;
      const arrivedParts = isWhole ? null : [...held.parts];
      const arrived = isWhole ? held.arrived : held.parts.size === partsOf(held.size, PART).length;
      return { imageId, completed: false, arrived, arrivedParts, ticket: this.#ticket(imageId) };
    });
  }

  signParts(imageId: string, numbers: readonly number[]) {
    return this.#call('sign', imageId, async () => {
      const { size } = this.#reservation(imageId);
      const wanted = partsOf(size, PART).filter((piece) => numbers.includes(piece.number));
      return wanted.map(({ number, start, end }) => ({
        partNumber: number,
        size: end - start,
        url: `${imageId}/${number}`,
        method: 'PUT',
        headers: {},
      }));
    });
  }

  async send(
    { url }: { url: string },
    bytes: Blob,
    onprogress: (sent: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    this.mostSending = Math.max(this.mostSending, ++this.sending);
    try {
      onprogress(Math.floor(bytes.size / 2));
      if (this.#held) await released(this.#held, signal);
      await this.#call('send', url, async () => this.#take(url));
      onprogress(bytes.size);
    } finally {
      this.sending -= 1;
    }
  }

  complete(imageId: string, key: string): Promise<UploadResult> {
    return this.#call('complete', imageId, async () => {
      const before = this.#answers.get(key);
      if (before) return before;
      const held = this.#reservation(imageId);
      const same = [...this.photos].find(([, name]) => name === held.name);
      const receipt = same
        ? { imageId: same[0], isDuplicate: true }
        : { imageId, isDuplicate: false, processingStatus: 'pending' };
      this.reservations.delete(imageId);
      if (!same) this.photos.set(imageId, held.name);
      else this.room = { ...this.room, photos: this.room.photos + 1 };
      this.#answers.set(key, receipt);
      return receipt;
    });
  }

  cancel(imageId: string): Promise<void> {
    return this.#call('cancel', imageId, async () => {
      this.#reservation(imageId);
      this.reservations.delete(imageId);
      this.room = { ...this.room, photos: this.room.photos + 1 };
    });
  }

  fetchStatus(imageId: string): Promise<UploadResult> {
    return this.#call('fetchStatus', imageId, async () => {
      if (!this.photos.has(imageId)) throw refusal(404, 'NOT_FOUND');
      return { imageId, isDuplicate: false, processingStatus: this.made.get(imageId) ?? 'pending' };
    });
  }

  reprocess(imageId: string): Promise<void> {
    return this.#call('reprocess', imageId, async () => undefined);
  }

  async #call<T>(call: string, about: string, work: () => Promise<T>): Promise<T> {
    this.log.push(`${call} ${about}`);
    this.#reach();
    const at = this.#faults.findIndex((fault) => fault.call === call || fault.call === `${call} ${about}`);
    const [fault] = at < 0 ? [] : this.#faults.splice(at, 1);
    if (fault && !fault.isAfter) throw fault.error;
    const answer = await work();
    if (fault) throw fault.error;
    return answer;
  }

  #reach(): void {
    if (this.isCut) throw new Unreachable();
  }

  #take(url: string): void {
    const [imageId = '', number] = url.split('/');
    const held = this.#reservation(imageId);
    if (number) held.parts.add(Number(number));
    else held.arrived = true;
  }

  #reservation(imageId: string): Reservation {
    const held = this.reservations.get(imageId);
    if (!held) throw refusal(404, 'NOT_FOUND');
    return held;
  }

  #ticket(imageId: string): UploadReservation {
    const { size } = this.#reservation(imageId);
    const place = size > IN_ONE_PIECE ? { partSize: PART } : { url: imageId, method: 'PUT', headers: {} };
    return { imageId, size, ...place, expiresAt: '2026-01-01T00:00:00Z' };
  }
}

function released(held: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((go, stop) => {
    held.push(go);
    signal.addEventListener('abort', () => stop(signal.reason));
  });
}

/** Clock that moves only by `pass`. */
export class FakeClock implements Clock {
  #time = 1_000_000;
  #due: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#time;
  }

  after(milliseconds: number, run: () => void): () => void {
    const entry = { at: this.#time + milliseconds, run };
    this.#due.push(entry);
    return () => (this.#due = this.#due.filter((each) => each !== entry));
  }

  pass(milliseconds: number): void {
    this.#time += milliseconds;
    const due = this.#due.filter((entry) => entry.at <= this.#time);
    this.#due = this.#due.filter((entry) => entry.at > this.#time);
    for (const { run } of due.sort((one, other) => one.at - other.at)) run();
  }
}
