/** A picture of oneself: made small here, looked at by the server, and kept by nobody. */
import type { Match, Selfie } from '../api/shapes';
import { api, told } from '../api/client';

const SIDE = 1600; // pixels: more tells nothing more about a face
const VERY_LIKE = 0.5; // of 1, which is the very same picture; below some 0.4 nobody is told

/** As a JPEG that is sent quickly; a file that the browser cannot decode goes as it is. */
export async function sized(file: Blob): Promise<Blob> {
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

/** What the camera sees at this moment. */
export async function still(video: HTMLVideoElement): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return jpegOf(canvas);
}

const jpegOf = (canvas: HTMLCanvasElement): Promise<Blob | null> =>
  new Promise((done) => canvas.toBlob(done, 'image/jpeg', 0.9));

/** `consent` is a guest's: that their face may be compared. */
export async function findBySelfie(picture: Blob, consent?: true): Promise<Selfie> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  const sent = { body: picture as unknown as string, bodySerializer: (body: unknown) => body as never, headers };
  return told(api.POST('/api/selfie', { ...sent, params: { query: { consent } } }));
}

export const isVeryLikely = ({ score }: Pick<Match, 'score'>): boolean => score >= VERY_LIKE;
