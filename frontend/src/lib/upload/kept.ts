/** The queue as it outlives the page: in IndexedDB, with the bytes of what has not been sent.
 *
 * Where there is no room for the bytes, or no database (some private windows), what is not kept goes on for as long as
 * the page is open.
 */
import type { Item } from './item';

const ITEMS = 'items';
const FILES = 'files';

export interface Kept {
  items(): Promise<Item[]>;
  /** False where there is no room for the file. */
  add(item: Item, file: File): Promise<boolean>;
  /** The item as it is now; nothing happens where it was not added. */
  put(item: Item): Promise<void>;
  file(id: string): Promise<File | undefined>;
  dropFile(id: string): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  close(): void;
}

export async function openKept(name: string): Promise<Kept> {
  try {
    return new InDatabase(await opened(name));
  } catch {
    return NOT_KEPT;
  }
}

function opened(name: string): Promise<IDBDatabase> {
  const asking = indexedDB.open(name, 1);
  asking.onupgradeneeded = () => {
    asking.result.createObjectStore(ITEMS, { keyPath: 'id' });
    asking.result.createObjectStore(FILES);
  };
  return answer(asking).then((database) => {
    database.onversionchange = () => database.close(); // it is to be deleted: nobody holds that up
    return database;
  });
}

class InDatabase implements Kept {
  readonly #database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.#database = database;
  }

  async items(): Promise<Item[]> {
    const items = await answer<Item[]>(this.#database.transaction(ITEMS).objectStore(ITEMS).getAll());
    return items.sort((one, other) => one.order - other.order);
  }

  async add(item: Item, file: File): Promise<boolean> {
    try {
      await this.#write((items, files) => {
        items.put(item);
        files.put(file, item.id);
      });
      return true;
    } catch {
      return false;
    }
  }

  put(item: Item): Promise<void> {
    return this.#write((items) => {
      items.getKey(item.id).onsuccess = (event) => {
        if ((event.target as IDBRequest).result !== undefined) items.put(item);
      };
    });
  }

  file(id: string): Promise<File | undefined> {
    return answer(this.#database.transaction(FILES).objectStore(FILES).get(id));
  }

  dropFile(id: string): Promise<void> {
    return this.#write((_, files) => void files.delete(id));
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#write((items, files) => {
      for (const id of ids) {
        items.delete(id);
        files.delete(id);
      }
    });
  }

  close(): void {
    this.#database.close();
  }

  #write(change: (items: IDBObjectStore, files: IDBObjectStore) => void): Promise<void> {
    return new Promise((written, failed) => {
      const transaction = this.#database.transaction([ITEMS, FILES], 'readwrite');
      transaction.oncomplete = () => written();
      transaction.onabort = transaction.onerror = () => failed(transaction.error);
      change(transaction.objectStore(ITEMS), transaction.objectStore(FILES));
    });
  }
}

const NOT_KEPT: Kept = {
  items: async () => [],
  add: async () => false,
  put: async () => undefined,
  file: async () => undefined,
  dropFile: async () => undefined,
  remove: async () => undefined,
  close: () => undefined,
};

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((told, failed) => {
    request.onsuccess = () => told(request.result);
    request.onerror = () => failed(request.error);
  });
}
