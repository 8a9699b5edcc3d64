/** Browser download of a blob or of a URL. */

/** Leaves the download to the browser, which shows its progress and resumes it. */
export const startDownload = (url: string): void => click(url, '');

export const downloadOriginal = (id: string): void => startDownload(`/api/photos/${id}/original`);

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  click(url, name.replace(/[\\/:*?"<>|]+/g, ' ').trim());
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // browsers may start to save late
}

function click(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
