/** IndexedDB database of the upload queue and its files.
 *
 * Without a database (some private windows) or enough space, files are kept in memory while the page is open.
 */
import type { QueueItem } from './queueItem';

const ITEMS = 'items';
const FILES = 'files';

export class QueueDatabase {
  readonly #name: string;
  #database: Promise<IDBDatabase>;
  #isClosed = false;

  constructor(name: string) {
    this.#name = name;
    this.#database = opened(name);
    this.#database.catch(() => undefined); // the next call tries again
  }

  async items(): Promise<QueueItem[]> {
    const items = await this.#read<QueueItem[]>(ITEMS, (store) => store.getAll());
    return items.sort((one, other) => one.order - other.order);
  }

  /** False if there is no space for the file. */
  add(item: QueueItem, file: File): Promise<boolean> {
    const written = this.#write((items, files) => {
      items.put(item);
      files.put(file, item.id);
    });
    return written.then(
      () => true,
      () => false,
    );
  }

  /** Updates an item; does nothing if it was not added. */
  put(item: QueueItem): Promise<void> {
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

  /** Browsers close connections at any time, iOS without an event: a failed transaction runs once more on a new
   * connection. All of them may run twice.
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
  database.onversionchange = () => database.close(); // never block a deletion of the database
  return database;
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((told, failed) => {
    request.onsuccess = () => told(request.result);
    request.onerror = () => failed(request.error);
  });
}
