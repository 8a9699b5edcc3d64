/** Adapter that writes a download to a file the user picked. */
export interface FileSink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Starts over with an empty file. */
  restart(): Promise<void>;
  /** The file exists only after this. */
  close(): Promise<void>;
  /** Drops the file. */
  abort(): Promise<void>;
}

interface Picker {
  showSaveFilePicker?: (wish: {
    suggestedName: string;
    types: { accept: Record<string, string[]> }[];
  }) => Promise<FileSystemFileHandle>;
}

export const canWriteFiles = (): boolean => 'showSaveFilePicker' in window;

/** Asks the user for a file; null if they cancel. Needs a recent click. */
export async function pickFile(suggestedName: string): Promise<FileSink | null> {
  try {
    const types = [{ accept: { 'application/zip': ['.zip'] } }];
    const handle = await (window as Picker).showSaveFilePicker?.({ suggestedName, types });
    return handle ? sinkIn(await handle.createWritable()) : null;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

function sinkIn(file: FileSystemWritableFileStream): FileSink {
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
