/** The server, as uploads meet it: `docs/photos.md` tells its steps. */
import { api, parsed, told } from '../api/client';
import { ApiError, Unreachable } from '../api/errors';
import type { components } from '../api/schema';
import { AddressOver } from './patience';

type Shapes = components['schemas'];
export type NewUpload = Shapes['NewUpload'];
export type Ticket = Shapes['UploadTicket'];
export type UploadState = Shapes['UploadState'];
export type PartAddress = Shapes['PartAddress'];

export interface Address {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of a file: a photo of ours, which may have been there before. */
export interface Receipt {
  readonly imageId: string;
  readonly isDuplicate: boolean;
  readonly processingStatus?: string;
  readonly processingError?: string | null;
}

/** All of them throw ApiError, or Unreachable. */
export interface Transport {
  /** A place for the bytes, or the photo that they are already; with the same key, the same one. */
  reserve(upload: NewUpload, key: string): Promise<Ticket | Receipt>;
  read(imageId: string): Promise<UploadState>;
  signParts(imageId: string, numbers: readonly number[]): Promise<PartAddress[]>;
  /** `onprogress` hears how many of the bytes have gone. AddressOver where they are to go elsewhere. */
  send(address: Address, bytes: Blob, onprogress: (sent: number) => void, signal: AbortSignal): Promise<void>;
  complete(imageId: string, key: string): Promise<Receipt>;
  giveUp(imageId: string): Promise<void>;
  /** How the photo is now. */
  look(imageId: string): Promise<Receipt>;
  /** What could not be shown is tried once more. */
  makeAgain(imageId: string): Promise<void>;
}

const QUICK = 60_000; // milliseconds that a request may take
const LONG = 600_000; // the server reads a large file once more before it is complete
const SILENCE = 60_000; // of a connection that nobody has told to be dead

const within = (milliseconds: number) => AbortSignal.timeout(milliseconds);
const keyed = (key: string) => ({ header: { 'Idempotency-Key': key } });
const about = (imageId: string, more = {}) => ({ params: { path: { imageId }, ...more }, signal: within(QUICK) });

export const transport: Transport = {
  reserve: (upload, key) =>
    told<Ticket | Shapes['Duplicate']>(
      api.POST('/api/uploads', { params: keyed(key), body: upload, signal: within(QUICK) }),
    ).then(receiptOr),
  read: (imageId) => told(api.GET('/api/uploads/{imageId}', about(imageId))),
  signParts: (imageId, numbers) =>
    told(api.POST('/api/uploads/{imageId}/parts', { ...about(imageId), body: { partNumbers: [...numbers] } })).then(
      ({ parts }) => parts,
    ),
  send,
  complete: (imageId, key) =>
    told<Shapes['ImageDetails'] | Shapes['Duplicate']>(
      api.POST('/api/uploads/{imageId}/complete', { ...about(imageId, keyed(key)), signal: within(LONG) }),
    )
      .then(receiptOr)
      .then(photo),
  giveUp: (imageId) => told(api.DELETE('/api/uploads/{imageId}', about(imageId))),
  look: (imageId) => told(api.GET('/api/photos/{imageId}', about(imageId))).then(photo),
  makeAgain: async (imageId) => void (await told(api.POST('/api/photos/{imageId}/retry', about(imageId)))),
};

const receiptOr = <T extends object>(answer: T | Shapes['Duplicate']): T | Receipt =>
  'duplicate' in answer ? { imageId: answer.imageId, isDuplicate: true } : answer;

const photo = (answer: Receipt | Omit<Receipt, 'isDuplicate'>): Receipt => ({ isDuplicate: false, ...answer });

/** By XMLHttpRequest: no other way tells how many bytes have gone. */
function send(address: Address, bytes: Blob, onprogress: (sent: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((sent, failed) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE);
    };
    heard();
    request.open(address.method, address.url);
    for (const [name, value] of Object.entries(address.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      heard();
      onprogress(loaded);
    };
    request.onloadend = () => {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) failed(signal.reason);
      else if (isTaken(request.status)) sent();
      else failed(fault(request));
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) return (stop(), failed(signal.reason));
    request.send(bytes);
  });
}

/** 412: the very bytes are there already, from a try whose answer was lost. */
const isTaken = (status: number): boolean => (status >= 200 && status < 300) || status === 412;

function fault(request: XMLHttpRequest): Error {
  const { status } = request;
  if (status === 0) return new Unreachable();
  const isTold = status === 422 || status === 429 || status >= 500;
  if (!isTold) return new AddressOver(status);
  const headers = { get: (name: string) => request.getResponseHeader(name) };
  return ApiError.of({ status, statusText: request.statusText, headers }, parsed(request.responseText));
}
