/** Selfie picture: captured, made smaller and sent to find matching people. It is not stored. */
import { api, unwrap } from '../api/client';
import type { Match, Selfie } from '../api/types';

const SIDE = 1600; // pixels: more do not help to recognize a face
const VERY_LIKE = 0.5; // score of a likely match: 1 is the same picture, and below about 0.4 there are no matches

/** JPEG that is sent quickly; a file that the browser cannot decode is sent as it is. */
export async function shrinkPicture(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.width, picture.height].map((side) => Math.round(side * scale)) as [
    number,
    number,
  ];
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return (await jpegOf(canvas)) ?? file;
}

/** Current frame of the camera. */
export async function captureFrame(video: HTMLVideoElement): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return jpegOf(canvas);
}

const jpegOf = (canvas: HTMLCanvasElement): Promise<Blob | null> =>
  new Promise((done) => canvas.toBlob(done, 'image/jpeg', 0.9));

/** `consent`: a guest agrees that their face is compared. */
export async function findBySelfie(picture: Blob, consent?: true): Promise<Selfie> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  const sent = { body: picture as unknown as string, bodySerializer: (body: unknown) => body as never, headers };
  return unwrap(api.POST('/api/selfie', { ...sent, params: { query: { consent } } }));
}

export const isVeryLikely = ({ score }: Pick<Match, 'score'>): boolean => score >= VERY_LIKE;
