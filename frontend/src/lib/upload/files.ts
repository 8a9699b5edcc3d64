/** Files as they come in: chosen, dropped with their folders, or pasted. */

/** For the file chooser: browsers do not know all that Sparks takes as pictures. */
export const TAKEN =
  'image/*,video/*,.heic,.heif,.avif,.jxl,.dng,.cr2,.cr3,.nef,.arw,.raf,.orf,.rw2,.mkv,.avi,.3gp,.mov';
const ENDINGS = /\.(heic|heif|avif|jxl|dng|cr2|cr3|nef|arw|raf|orf|rw2|mkv|avi|3gp|mov|mp4|webm|tiff?|jpe?g|png)$/i;
const PLAIN = /^image\.\w+$/; // what browsers call whatever was copied

export interface Sifted {
  readonly taken: readonly File[];
  /** How many others there were. */
  readonly others: number;
}

/** Of a whole folder, what can be a photo: the rest was not chosen by anybody. */
export function sift(files: readonly File[]): Sifted {
  const taken = files.filter((file) => !file.name.startsWith('.') && isMedia(file));
  return { taken, others: files.length - taken.length };
}

function isMedia({ name, type }: File): boolean {
  return ENDINGS.test(name) || (/^(image|video)\//.test(type) && type !== 'image/svg+xml');
}

/** What is dropped, in the order of the folders. Those that were dropped by themselves are all taken: where one is no
 * photo, the server says so.
 */
export async function dropped(data: DataTransfer): Promise<Sifted> {
  const entries = [...data.items].filter((item) => item.kind === 'file').map((item) => item.webkitGetAsEntry());
  const plain = [...data.files];
  if (!entries.some((entry) => entry?.isDirectory)) return { taken: plain, others: 0 };
  const found = await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])));
  return sift(found.flat());
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) return [await new Promise<File>((told, failed) => entry.file(told, failed))];
  const inside = await childrenOf(entry as FileSystemDirectoryEntry);
  const files: File[] = [];
  for (const child of inside.sort((one, other) => one.name.localeCompare(other.name)))
    files.push(...(await filesIn(child)));
  return files;
}

/** A reader tells some at a time, until it tells none. */
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

/** Pictures on the clipboard have no names of their own. */
export function pasted(data: DataTransfer, now: Date): File[] {
  const time = now.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  return [...data.files].map((file, at) => {
    if (!PLAIN.test(file.name)) return file;
    const name = `${time}${at ? ` ${at + 1}` : ''}.${file.name.split('.').at(-1)}`;
    return new File([file], name, { type: file.type, lastModified: file.lastModified });
  });
}
