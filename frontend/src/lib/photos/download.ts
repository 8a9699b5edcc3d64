/** The original of one photo, as the browser saves it. */
export function downloadOne(id: string): void {
  const link = document.createElement('a');
  link.href = `/api/photos/${id}/original`;
  link.download = '';
  link.click();
}
