/** Originals, one file after the other, as the browser saves them. */

export const MOST_DOWNLOADS = 20;
const APART = 300; // milliseconds: browsers drop downloads that start at the same time

export async function downloadMany(ids: readonly string[]): Promise<void> {
  for (const [at, id] of ids.entries()) {
    if (at) await new Promise((resolve) => setTimeout(resolve, APART));
    const link = document.createElement('a');
    link.href = `/api/photos/${id}/original`;
    link.download = '';
    link.click();
  }
}
