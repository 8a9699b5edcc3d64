/** A file that is written while it comes, where the browser lets pages do so. */

/** Where bytes go. */
export interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** All anew. */
  restart(): Promise<void>;
  /** Only now the file is there. */
  close(): Promise<void>;
  /** As if it had never begun. */
  abort(): Promise<void>;
}

interface Picker {
  showSaveFilePicker?: (wish: {
    suggestedName: string;
    types: { accept: Record<string, string[]> }[];
  }) => Promise<FileSystemFileHandle>;
}

export const canWriteFiles = (): boolean => 'showSaveFilePicker' in window;

/** Where the reader says; null where they changed their mind. It takes a click that has just been made. */
export async function chooseFile(suggestedName: string): Promise<Sink | null> {
  try {
    const types = [{ accept: { 'application/zip': ['.zip'] } }];
    const handle = await (window as Picker).showSaveFilePicker?.({ suggestedName, types });
    return handle ? sinkIn(await handle.createWritable()) : null;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

function sinkIn(file: FileSystemWritableFileStream): Sink {
  return {
    write: (bytes) => file.write(bytes),
    async restart() {
      await file.truncate(0);
      await file.seek(0);
    },
    close: () => file.close(),
    abort: () => file.abort(),
  };
}
