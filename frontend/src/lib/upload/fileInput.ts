/** Files that were chosen, dropped with folders or pasted, filtered to media. */

/** For file inputs: browsers do not know all types that Sparks accepts. */
export const ACCEPTED_TYPES =
  'image/*,video/*,.heic,.heif,.avif,.jxl,.dng,.cr2,.cr3,.nef,.arw,.raf,.orf,.rw2,.mkv,.avi,.3gp,.mov';
const ENDINGS = /\.(heic|heif|avif|jxl|dng|cr2|cr3|nef|arw|raf|orf|rw2|mkv|avi|3gp|mov|mp4|webm|tiff?|jpe?g|png)$/i;
const PLAIN = /^image\.\w+$/; // browsers' name of a copied image

export interface FilteredFiles {
  readonly taken: readonly File[];
  /** Number of files that were left out. */
  readonly others: number;
}

/** Photos and videos of a folder; other files in it are left out. */
export function filterMedia(files: readonly File[]): FilteredFiles {
  const taken = files.filter((file) => !file.name.startsWith('.') && isMedia(file));
  return { taken, others: files.length - taken.length };
}

function isMedia({ name, type }: File): boolean {
  return ENDINGS.test(name) || (/^(image|video)\//.test(type) && type !== 'image/svg+xml');
}

/** Dropped files, folders in order. Single files are all taken: the server refuses those that are no photos. */
export async function filesFromDrop(data: DataTransfer): Promise<FilteredFiles> {
  const entries = [...data.items].filter((item) => item.kind === 'file').map((item) => item.webkitGetAsEntry());
  const plain = [...data.files];
  if (!entries.some((entry) => entry?.isDirectory)) return { taken: plain, others: 0 };
  const found = await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])));
  return filterMedia(found.flat());
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) return [await new Promise<File>((told, failed) => entry.file(told, failed))];
  const inside = await childrenOf(entry as FileSystemDirectoryEntry);
  const files: File[] = [];
  for (const child of inside.sort((one, other) => one.name.localeCompare(other.name)))
    files.push(...(await filesIn(child)));
  return files;
}

/** A reader returns some entries at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((told, failed) => reader.readEntries(told, failed));
    if (!some.length) return children;
    children.push(...some);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

/** Images on the clipboard have no names of their own. */
export function filesFromPaste(data: DataTransfer, now: Date): File[] {
  const time = now.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  return [...data.files].map((file, at) => {
    if (!PLAIN.test(file.name)) return file;
    const name = `${time}${at ? ` ${at + 1}` : ''}.${file.name.split('.').at(-1)}`;
    return new File([file], name, { type: file.type, lastModified: file.lastModified });
  });
}
