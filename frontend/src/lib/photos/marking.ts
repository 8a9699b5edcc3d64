/** Favourites that are being marked: an answer that was asked for before the server knew does not take them back. */
interface Mark {
  readonly ids: readonly string[];
  readonly favorite: boolean;
  /** When the server knew of it. */
  until: number;
}

const LONGEST = 60_000; // milliseconds that somebody waits for an answer
let marks: readonly Mark[] = [];

/** `asked` is what is asked of the server, about these photos. */
export async function marking<T>(ids: readonly string[], favorite: boolean, asked: Promise<T>): Promise<T> {
  const mark: Mark = { ids, favorite, until: Infinity };
  marks = [...marks.filter(({ until }) => until > Date.now() - LONGEST), mark];
  try {
    const done = await asked;
    mark.until = Date.now();
    return done;
  } catch (error) {
    mark.until = 0;
    throw error;
  }
}

/** What an answer that was asked for at this time may not know: by the id of a photo, whether it is a favourite. */
export function marksSince(asked: number): ReadonlyMap<string, boolean> {
  const late = marks.filter(({ until }) => until > asked);
  return new Map(late.flatMap(({ ids, favorite }) => ids.map((id) => [id, favorite])));
}
