/** The queue as it outlives the page: in IndexedDB, with the bytes of what has not been sent.
 *
 * Where there is no room for the bytes, or no database (some private windows), what is not kept goes on for as long as
 * the page is open.
 */
import type { Item } from './item';

const ITEMS = 'items';
const FILES = 'files';

export class Kept {
  readonly #name: string;
  #database: Promise<IDBDatabase>;
  #isClosed = false;

  constructor(name: string) {
    this.#name = name;
    this.#database = opened(name);
    this.#database.catch(() => undefined); // whoever needs it asks once more
  }

  async items(): Promise<Item[]> {
    const items = await this.#read<Item[]>(ITEMS, (store) => store.getAll());
    return items.sort((one, other) => one.order - other.order);
  }

  /** False where there is no room for the file. */
  add(item: Item, file: File): Promise<boolean> {
    const written = this.#write((items, files) => {
      items.put(item);
      files.put(file, item.id);
    });
    return written.then(
      () => true,
      () => false,
    );
  }

  /** The item as it is now; nothing happens where it was not added. */
  put(item: Item): Promise<void> {
    return this.#write((items) => {
      items.getKey(item.id).onsuccess = (event) => {
        if ((event.target as IDBRequest).result !== undefined) items.put(item);
      };
    });
  }

  file(id: string): Promise<File | undefined> {
    return this.#read(FILES, (store) => store.get(id));
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
    this.#isClosed = true;
    shut(this.#database);
  }

  #read<T>(name: string, question: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return this.#try((database) => answer(question(database.transaction(name).objectStore(name))));
  }

  #write(change: (items: IDBObjectStore, files: IDBObjectStore) => void): Promise<void> {
    return this.#try(
      (database) =>
        new Promise((written, failed) => {
          const transaction = database.transaction([ITEMS, FILES], 'readwrite');
          transaction.oncomplete = () => written();
          transaction.onabort = () => failed(transaction.error);
          change(transaction.objectStore(ITEMS), transaction.objectStore(FILES));
        }),
    );
  }

  /** [Note: lost connections] A browser closes them when it likes, iOS behind the page's back: what fails is tried once
   * more with a new one. All that is done here may be done twice.
   */
  async #try<T>(work: (database: IDBDatabase) => Promise<T>): Promise<T> {
    const database = this.#database;
    try {
      return await work(await database);
    } catch (error) {
      if (this.#isClosed || (error as Error | null)?.name === 'QuotaExceededError') throw error;
    }
    if (database === this.#database) {
      shut(database);
      this.#database = opened(this.#name);
    }
    return work(await this.#database);
  }
}

const shut = (database: Promise<IDBDatabase>): void =>
  void database.then(
    (open) => open.close(),
    () => undefined,
  );

async function opened(name: string): Promise<IDBDatabase> {
  const asking = indexedDB.open(name, 1);
  asking.onupgradeneeded = () => {
    asking.result.createObjectStore(ITEMS, { keyPath: 'id' });
    asking.result.createObjectStore(FILES);
  };
  const database = await answer(asking);
  database.onversionchange = () => database.close(); // it is to be deleted: nobody holds that up
  return database;
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((told, failed) => {
    request.onsuccess = () => told(request.result);
    request.onerror = () => failed(request.error);
  });
}
