/** HTTP requests of an upload: reserve, send bytes, complete, cancel. The steps are in `docs/photos.md`. */
import { api, parseBody, unwrap } from '../../api/client';
import { ApiError, Unreachable } from '../../api/errors';
import type { components } from '../../api/schema';
import { UploadUrlExpired } from './failures';

type Schemas = components['schemas'];
export type NewUpload = Schemas['NewUploadRequest'];
export type UploadReservation = Schemas['UploadTicketResponse'];
export type UploadState = Schemas['UploadStateResponse'];
export type PartUrl = Schemas['PartUrlResponse'];

export interface UploadUrl {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Result of an upload: a new photo, or one that existed. */
export interface UploadResult {
  readonly imageId: string;
  readonly isDuplicate: boolean;
  readonly processingStatus?: string;
  readonly processingError?: string | null;
}

/** All methods throw ApiError or Unreachable. */
export interface UploadTransport {
  /** A reservation, or the duplicate photo; the same one for the same key. */
  reserve(upload: NewUpload, key: string): Promise<UploadReservation | UploadResult>;
  read(imageId: string): Promise<UploadState>;
  signParts(imageId: string, numbers: readonly number[]): Promise<PartUrl[]>;
  /** `onprogress` gets the number of bytes sent. UploadUrlExpired if a new URL is needed. */
  send(address: UploadUrl, bytes: Blob, onprogress: (sent: number) => void, signal: AbortSignal): Promise<void>;
  complete(imageId: string, key: string): Promise<UploadResult>;
  cancel(imageId: string): Promise<void>;
  /** Current processing status. */
  fetchStatus(imageId: string): Promise<UploadResult>;
  /** Processes a failed photo again. */
  reprocess(imageId: string): Promise<void>;
}

const QUICK = 60_000; // milliseconds for a request
const LONG = 600_000; // milliseconds: the server reads a large file again before it is complete
const SILENCE = 60_000; // milliseconds without progress after which a connection is dead

const within = (milliseconds: number) => AbortSignal.timeout(milliseconds);
const keyed = (key: string) => ({ header: { 'Idempotency-Key': key } });
const about = (imageId: string, more = {}) => ({ params: { path: { imageId }, ...more }, signal: within(QUICK) });

export const httpTransport: UploadTransport = {
  reserve: (upload, key) =>
    unwrap<UploadReservation | Schemas['DuplicateResponse']>(
      api.POST('/api/uploads', { params: keyed(key), body: upload, signal: within(QUICK) }),
    ).then(receiptOr),
  read: (imageId) => unwrap(api.GET('/api/uploads/{imageId}', about(imageId))),
  signParts: (imageId, numbers) =>
    unwrap(api.POST('/api/uploads/{imageId}/parts', { ...about(imageId), body: { partNumbers: [...numbers] } })).then(
      ({ parts }) => parts,
    ),
  send,
  complete: (imageId, key) =>
    unwrap<Schemas['ImageDetailsResponse'] | Schemas['DuplicateResponse']>(
      api.POST('/api/uploads/{imageId}/complete', { ...about(imageId, keyed(key)), signal: within(LONG) }),
    )
      .then(receiptOr)
      .then(photo),
  cancel: (imageId) => unwrap(api.DELETE('/api/uploads/{imageId}', about(imageId))),
  fetchStatus: (imageId) => unwrap(api.GET('/api/photos/{imageId}', about(imageId))).then(photo),
  reprocess: async (imageId) => void (await unwrap(api.POST('/api/photos/{imageId}/retry', about(imageId)))),
};

const receiptOr = <T extends object>(answer: T | Schemas['DuplicateResponse']): T | UploadResult =>
  'duplicate' in answer ? { imageId: answer.imageId, isDuplicate: true } : answer;

const photo = (answer: UploadResult | Omit<UploadResult, 'isDuplicate'>): UploadResult => ({
  isDuplicate: false,
  ...answer,
});

/** By XMLHttpRequest: fetch does not report upload progress. */
function send(address: UploadUrl, bytes: Blob, onprogress: (sent: number) => void, signal: AbortSignal): Promise<void> {
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

/** 412: the same bytes are there, from a try whose response was lost. */
const isTaken = (status: number): boolean => (status >= 200 && status < 300) || status === 412;

function fault(request: XMLHttpRequest): Error {
  const { status } = request;
  if (status === 0) return new Unreachable();
  const isTold = status === 422 || status === 429 || status >= 500;
  if (!isTold) return new UploadUrlExpired(status);
  const headers = { get: (name: string) => request.getResponseHeader(name) };
  return ApiError.of({ status, statusText: request.statusText, headers }, parseBody(request.responseText));
}
