import { describe, expect, it } from 'vitest';
import { PagedList, type ListPage } from './pagedList.svelte';

interface Person {
  readonly personId: string;
  readonly displayName: string;
  readonly photoCount: number;
}
const idOf = ({ personId }: Person) => personId;
const person = (personId: string, more: Partial<Person> = {}): Person => ({
  personId,
  displayName: personId,
  photoCount: 1,
  ...more,
});
const ids = (list: PagedList<Person>) => list.items.map(idOf);
const names = (list: PagedList<Person>) => list.items.map(({ displayName }) => displayName);

/** Responses that the test sends. */
class Server {
  readonly #waiting: ((page: ListPage<Person>) => void)[] = [];
  readonly list = new PagedList<Person>(() => new Promise((answer) => this.#waiting.push(answer)), idOf);

  async tell(...persons: Person[]): Promise<void> {
    this.#waiting.shift()?.({ items: persons });
    for (let turns = 0; turns < 9; turns++) await Promise.resolve();
  }
}

describe('a list that comes page by page', () => {
  it('lists no item twice', async () => {
    const pages: ListPage<Person>[] = [
      { items: [person('a'), person('b')], next: 'b' },
      { items: [person('b'), person('c')] },
    ];
    const list = new PagedList(() => Promise.resolve(pages.shift() as ListPage<Person>), idOf);
    await list.loadMore();
    expect(list.isComplete).toBe(false);
    await Promise.all([list.loadMore(), list.loadMore()]);
    expect(ids(list)).toEqual(['a', 'b', 'c']);
    expect(list.isComplete).toBe(true);
  });

  it('shows a change at once, and takes it back when it was refused', async () => {
    const server = new Server();
    const loading = server.list.loadMore();
    await server.tell(person('a'));
    await loading;
    let refuse = () => {};
    const asked = new Promise<never>((_, reject) => (refuse = () => reject(new Error('no'))));
    const changing = server.list.change(['a'], { displayName: 'Ann' }, asked);
    expect(names(server.list)).toEqual(['Ann']);
    refuse();
    await expect(changing).rejects.toThrow('no');
    expect(names(server.list)).toEqual(['a']);
  });

  it('keeps a change that was made while older answers are on their way', async () => {
    const server = new Server();
    const loading = server.list.loadMore();
    await server.tell(person('a'));
    await loading;
    const reloading = server.list.reload();
    const changing = server.list.change(['a'], { displayName: 'Ann' }, Promise.resolve());
    await changing;
    await server.tell(person('a'));
    expect(names(server.list)).toEqual(['Ann']);
    await server.tell(person('a', { displayName: 'Ann', photoCount: 7 }));
    await reloading;
    expect(server.list.items[0]?.photoCount).toBe(7);
  });

  it('drops what is gone, and takes what the server says of the others', async () => {
    const server = new Server();
    const loading = server.list.loadMore();
    await server.tell(person('a'), person('b'));
    await loading;
    const into = person('a', { photoCount: 9 });
    await server.list.change(['b'], null, Promise.resolve(into), (told) => [told]);
    expect(ids(server.list)).toEqual(['a']);
    expect(server.list.items[0]?.photoCount).toBe(9);
  });
});
