/** Multipart upload of a large file, parts in parallel. Parts that have arrived are not sent again. */
import { recordProgress, type FileUpload } from './fileUpload';
import type { UploadUrl, PartUrl } from './uploadTransport';

const PARTS_AT_ONCE = 3;
const SIGNED_AT_ONCE = 12;

export async function sendParts(
  upload: FileUpload,
  imageId: string,
  partSize: number,
  arrived: readonly number[],
): Promise<void> {
  const { size } = upload.file;
  const missing = missingParts(size, partSize, arrived);
  const there = bytesOf(partsOf(size, partSize)) - bytesOf(missing);
  const tally = new Map<number, number>();
  const addresses = new PartUrls(missing, (numbers) => upload.transport.signParts(imageId, numbers));
  const ending = new AbortController();
  const { signal } = ending;
  const stop = () => ending.abort(upload.signal.reason);
  upload.signal.addEventListener('abort', stop);
  await upload.note({ sent: there });
  let landed = there;

  async function sendNext(): Promise<void> {
    for (let part = missing.shift(); part; part = missing.shift()) {
      const { number, start, end } = part;
      await upload.lanes.run(async () => {
        signal.throwIfAborted();
        const address = await addresses.of(number);
        await upload.transport.send(address, upload.file.slice(start, end), (sent) => count(number, sent), signal);
        count(number, end - start);
        await recordProgress(upload, (landed += end - start));
      });
    }
  }
  function count(number: number, sent: number): void {
    tally.set(number, sent);
    upload.progress([...tally.values()].reduce((sum, each) => sum + each, there));
  }

  const workers = Array.from({ length: PARTS_AT_ONCE }, sendNext);
  try {
    await Promise.all(workers);
  } finally {
    ending.abort(); // if one part fails, the others stop
    upload.signal.removeEventListener('abort', stop);
    await Promise.allSettled(workers);
  }
}

/** Upload URLs of parts, requested in batches: they are valid for an hour, and a large file may take longer. */
class PartUrls {
  readonly #wanted: number[];
  readonly #sign: (numbers: readonly number[]) => Promise<PartUrl[]>;
  readonly #known = new Map<number, PartUrl>();
  #signing: Promise<void> = Promise.resolve();

  constructor(parts: readonly FilePart[], sign: (numbers: readonly number[]) => Promise<PartUrl[]>) {
    this.#wanted = parts.map((part) => part.number);
    this.#sign = sign;
  }

  async of(number: number): Promise<UploadUrl> {
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

/** Part of a file: parts are numbered from 1 and of one size; the last is the rest. */
export interface FilePart {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

export function partsOf(size: number, partSize: number): FilePart[] {
  const count = Math.ceil(size / partSize);
  return Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    start: at * partSize,
    end: Math.min(size, (at + 1) * partSize),
  }));
}

export function missingParts(size: number, partSize: number, arrived: readonly number[]): FilePart[] {
  const there = new Set(arrived);
  return partsOf(size, partSize).filter((part) => !there.has(part.number));
}

export const bytesOf = (parts: readonly FilePart[]): number =>
  parts.reduce((sum, part) => sum + part.end - part.start, 0);
