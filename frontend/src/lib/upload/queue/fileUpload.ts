/** Upload of one file: reserve, send and complete, resumable at each step. Each step is stored before the next, so that
 * an interrupted upload continues there and gives one photo, whatever is repeated.
 */
import { toUnreachable } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { ConcurrencyLimit } from './concurrency';
import { UnreadableFile } from './failures';
import { hex, type QueueItem } from './queueItem';
import type { UploadUrl, UploadResult, UploadReservation, UploadTransport } from './uploadTransport';

const HASHED_AT_MOST = 16 * 1024 * 1024; // bytes: the whole file is in memory for its hash

export interface FileUpload {
  item: () => QueueItem;
  readonly file: File;
  readonly transport: UploadTransport;
  readonly lanes: ConcurrencyLimit;
  /** Ends the upload between steps and while bytes are sent. */
  readonly signal: AbortSignal;
  /** Resolves when the changes are stored. */
  note(changes: Partial<QueueItem>): Promise<void>;
  /** Reports the bytes sent, of the whole file. */
  progress(sent: number): void;
  /** From here on the upload cannot be cancelled. */
  completing(): void;
}

/** State of a file on the server: parts that are missing, or the result. */
type ServerState = { result: UploadResult } | { ticket: UploadReservation; arrived: readonly number[] | 'all' };

export async function uploadFile(upload: FileUpload): Promise<UploadResult> {
  await checkReadable(upload.file);
  const before = upload.item().isCompleting ? await completedBefore(upload) : null;
  if (before) return before;
  const state = upload.item().imageId ? await resume(upload) : await reserve(upload);
  if ('result' in state) return state.result;
  upload.signal.throwIfAborted();
  if (state.arrived !== 'all') await send(upload, state.ticket, state.arrived);
  upload.signal.throwIfAborted();
  return complete(upload, state.ticket.imageId);
}

async function checkReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new UnreadableFile();
  }
}

async function reserve(upload: FileUpload): Promise<ServerState> {
  const { id, name, size, type, modifiedAt, visibility, tags, albumId } = upload.item();
  const sha256 = await hashOf(upload.file);
  const request = {
    filename: name,
    size,
    modifiedAt: new Date(modifiedAt).toISOString(),
    tags: [...tags],
    ...(type && { mimeType: type }),
    ...(visibility && { visibility }),
    ...(albumId && { albumId }),
    ...(sha256 && { sha256 }),
  };
  const answer = await upload.transport.reserve(request, `${id} reserve`);
  if ('isDuplicate' in answer) return { result: answer };
  await upload.note({ imageId: answer.imageId, sent: 0 });
  return { ticket: answer, arrived: [] };
}

async function resume(upload: FileUpload): Promise<ServerState> {
  const imageId = upload.item().imageId ?? '';
  try {
    const { completed, arrived, arrivedParts, ticket } = await upload.transport.read(imageId);
    if (completed || !ticket) return { result: { imageId, isDuplicate: false } };
    return { ticket, arrived: arrived ? 'all' : (arrivedParts ?? []) };
  } catch (error) {
    if (!isNotOurs(error)) throw error;
    await upload.note({ imageId: null, isCompleting: false, sent: 0 });
    return reserve(upload);
  }
}

/** The reservation is gone, or belongs to another guest: a guest who opens a link again is a new one. */
const isNotOurs = (error: unknown): boolean => error instanceof ApiError && [403, 404].includes(error.status);

async function complete(upload: FileUpload, imageId: string): Promise<UploadResult> {
  upload.completing();
  await upload.note({ isCompleting: true, sent: upload.item().size });
  return upload.transport.complete(imageId, upload.item().id);
}

/** Repeats a completion whose response was lost; null if there is more to do. */
async function completedBefore(upload: FileUpload): Promise<UploadResult | null> {
  const { imageId, id } = upload.item();
  try {
    return imageId ? await upload.transport.complete(imageId, id) : null;
  } catch (error) {
    if (!isNotOurs(error) && !(error instanceof ApiError && error.status === 409)) throw error;
    await upload.note({ isCompleting: false });
    return null;
  }
}

/** Hash with which the server finds duplicates before bytes are sent; undefined for large files and without
 * `crypto.subtle`.
 */
async function hashOf(file: File): Promise<string | undefined> {
  if (file.size > HASHED_AT_MOST || !('subtle' in crypto)) return undefined;
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())));
}

// -- Sending

async function send(upload: FileUpload, ticket: UploadReservation, arrived: readonly number[]): Promise<void> {
  const { partSize, url, method, headers } = ticket;
  if (partSize) {
    // Most files are small: the code for large ones loads with the first of them.
    const { sendParts } = await import('./multipart').catch(toUnreachable);
    return sendParts(upload, ticket.imageId, partSize, arrived);
  }
  const address: UploadUrl = { url: url ?? '', method: method ?? 'PUT', headers: headers ?? {} };
  await upload.note({ sent: 0 });
  await upload.lanes.run(async () => {
    upload.signal.throwIfAborted();
    return upload.transport.send(address, upload.file, upload.progress, upload.signal);
  });
  await recordProgress(upload, upload.file.size);
}

/** The server has received more bytes: earlier failures no longer count. */
export async function recordProgress(upload: FileUpload, landed: number): Promise<void> {
  if (landed > upload.item().landed) await upload.note({ landed, tries: 0 });
}
